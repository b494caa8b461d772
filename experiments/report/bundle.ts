/** The program and the style sheet of the page, each as one text; the same bytes every time. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licencesOf } from './licences.ts';

const PAGE = fileURLToPath(new URL('page/', import.meta.url));

export interface Bundle {
  readonly program: string;
  readonly css: string;
  /** Content-Security-Policy: this program and no other, inline styles, and no connection anywhere. */
  readonly policy: string;
  /** Of the packages in the program: names, versions, and the texts of their licences. */
  readonly licences: string;
}

export async function bundlePage(): Promise<Bundle> {
  const [program, css] = await Promise.all([bundled('report-page.ts'), bundled('report-page.css')]);
  const inline = withoutScriptEnd(program.text);
  const hash = createHash('sha256').update(inline).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;
  return { program: inline, css: css.text, policy, licences: await licencesOf(program.sources) };
}

interface Bundled {
  readonly text: string;
  /** Absolute paths. */
  readonly sources: readonly string[];
}

async function bundled(entry: string): Promise<Bundled> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: PAGE,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    // The licences stand in the page, whole.
    legalComments: 'none',
    logLevel: 'silent',
  });
  const text = (outputFiles[0]?.text ?? '').trimEnd();
  return { text, sources: Object.keys(metafile.inputs).map((path) => join(PAGE, path)) };
}

/** In a program `</script` and `<!--` can only stand in literals, where the escape says the same. */
function withoutScriptEnd(program: string): string {
  return program.replace(/<(?=\/script|!--)/gi, '\\x3C');
}
