/** The program and the style sheet of the page, each as one text; the same bytes every time. */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const PAGE = fileURLToPath(new URL('page/', import.meta.url));

export interface Bundle {
  readonly program: string;
  readonly css: string;
  /** Content-Security-Policy: this program and no other, inline styles, and no connection anywhere. */
  readonly policy: string;
}

export async function bundlePage(): Promise<Bundle> {
  const [program, css] = await Promise.all([bundled('report-page.ts'), bundled('report-page.css')]);
  const inline = withoutScriptEnd(program);
  const hash = createHash('sha256').update(inline).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;
  return { program: inline, css, policy };
}

async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: PAGE,
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
  });
  return (outputFiles[0]?.text ?? '').trimEnd();
}

/** In a program `</script` and `<!--` can only stand in literals, where the escape says the same. */
function withoutScriptEnd(program: string): string {
  return program.replace(/<(?=\/script|!--)/gi, '\\x3C');
}
