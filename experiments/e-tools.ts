/** How long tools take in virtual time: seeded, and the same for a call under every protocol. */
import type { ToolCall } from '../harness/parsers/parser.ts';
import { seededDraw } from '../harness/replay/seeded.ts';
import type { ToolProfile } from './e-rows.ts';

/** Bounds in ms; a time is drawn so that its logarithm is uniform. */
interface Bounds {
  readonly from: number;
  readonly to: number;
}

const TOOLS: { readonly [name: string]: Bounds } = {
  list_dir: { from: 2, to: 20 },
  read_file: { from: 2, to: 20 },
  write_file: { from: 5, to: 50 },
  apply_patch: { from: 5, to: 100 },
  shell: { from: 50, to: 10_000 },
};
/** Of a tool that is not known. */
const OTHER: Bounds = { from: 50, to: 2000 };
const STEPS = 1000;
const SLOW = 2000;

/** In ms. `label` names the task: the call with this ordinal and name takes as long whatever frame it stands in. */
export function toolTime(profile: ToolProfile, { ordinal, name }: ToolCall, label: string): number {
  if (profile === 'instant') return 0;
  if (profile === '2 s each') return SLOW;
  const { from, to } = TOOLS[name] ?? OTHER;
  const share = seededDraw(`tool/${label}/${ordinal}/${name}`)(STEPS + 1) / STEPS;
  return Math.round(from * (to / from) ** share);
}
