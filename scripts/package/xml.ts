/** Is it XML? A library answers, installed beside the check: nothing else in the repository reads XML. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';
import { npmInstall } from './scratch.ts';
import { StepError } from './steps.ts';

const VALIDATOR = 'fast-xml-parser@5.12.1';
const PROGRAM = `
import { readFileSync } from 'node:fs';
import { XMLValidator } from 'fast-xml-parser';
const answer = XMLValidator.validate(readFileSync(process.argv[1], 'utf8'));
if (answer !== true) throw new Error(\`line \${answer.err.line}: \${answer.err.msg}\`);
`;

export class XmlValidator {
  readonly #dir: string;

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /** @param scratch the folder in which the library gets a folder of its own. */
  static async install(scratch: string): Promise<XmlValidator> {
    const dir = join(scratch, 'xml');
    await mkdir(dir);
    await npmInstall(dir, [VALIDATOR]);
    return new XmlValidator(dir);
  }

  /** Fails the step unless the file is well-formed. @param path absolute. */
  async expectWellFormed(path: string): Promise<void> {
    const answer = await run(process.execPath, ['--input-type=module', '-e', PROGRAM, path], { cwd: this.#dir });
    if (answer.code !== 0) throw new StepError(`${path} is no well-formed XML:\n${answer.err}`);
  }
}
