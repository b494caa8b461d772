/** A GitHub Actions workflow, as far as it can be tried anywhere: its `run:` steps. */
import { parse } from 'yaml';
import * as z from 'zod';
import { StepError } from './steps.ts';

export interface RunStep {
  readonly name: string;
  /** Lines of shell. */
  readonly run: string;
}

/** A condition or an environment of a `run:` step would be left out here: such a step is refused. */
const runStep = z.strictObject({ name: z.string(), run: z.string() });
const actionStep = z.strictObject({
  uses: z.string(),
  if: z.string().exactOptional(),
  with: z.record(z.string(), z.unknown()).exactOptional(),
});
const job = z.strictObject({ 'runs-on': z.string(), steps: z.array(z.union([runStep, actionStep])).min(1) });
const workflow = z.looseObject({ jobs: z.record(z.string(), job) });

/** The `run:` steps of all jobs, in order. Throws a `StepError` if the file has another shape than is understood here. */
export function runSteps(yaml: string, file: string): readonly RunStep[] {
  const read = workflow.safeParse(parse(yaml));
  if (!read.success) {
    throw new StepError(`${file} has a shape that cannot be tried as it is written:\n${z.prettifyError(read.error)}`);
  }
  const steps = Object.values(read.data.jobs).flatMap((found) => found.steps);
  const found = steps.flatMap((step) => ('run' in step ? [{ name: step.name, run: step.run }] : []));
  if (found.length === 0) throw new StepError(`${file} has no run: step`);
  return found;
}
