/**
 * The smallest streams on which the controls must fail. They are part of every run of experiment C, whatever its
 * recordings are: a run in which a control passes is a failed run (properties.md "Controls that must fail").
 */
import { CONTROL_NAMES, type ControlName } from '../harness/controls/controls.ts';
import { type AnswerPart, chatStream } from '../harness/replay/envelope.ts';
import type { Framing } from '../harness/replay/recording.ts';
import { checkRecording, type Finding } from './c-recording.ts';

interface Probe {
  readonly framing: Framing;
  readonly part: AnswerPart;
}

const PROBES: Record<ControlName, Probe> = {
  'json-first-parse': {
    framing: 'native',
    part: { type: 'call', id: 'c1', name: 'delete', pieces: ['{}', '{"path":"tmp"}'] },
  },
  'json-repair': {
    framing: 'native',
    part: { type: 'call', id: 'c1', name: 'delete', pieces: ['{"path":"tmp', '/cache"}'] },
  },
  'end-anywhere': { framing: 'ctl', part: { type: 'text', pieces: ['call c1 t\nend', 'less\n'] } },
  'xml-per-invoke': {
    framing: 'xml',
    part: {
      type: 'text',
      pieces: ['<minimax:tool_call>\n<invoke name="t">\n</invoke>\n</minimax:tool_call>\n', 'Result: ok'],
    },
  },
};

/** S1, S2 and S3 are what a control must break. */
const SAFETY_PROPERTIES: readonly string[] = ['S1', 'S2', 'S3'];

/** What every control violates on its probe. */
export function probeControls(options: { readonly lineLimit: number; readonly seed: number }): readonly Finding[] {
  return CONTROL_NAMES.flatMap((name) => {
    const { framing, part } = PROBES[name];
    const bytes = chatStream({
      id: 'probe',
      model: 'none',
      parts: [part],
      finish: 'stop',
      usage: { promptTokens: 0, completionTokens: 0 },
    });
    const task = { suite: 'probes', file: name, task: name, framing, wire: 'openai-chat', bytes } as const;
    const rows = checkRecording({ ...task, limits: {}, expectations: [], along: false, ...options });
    return rows.findings.filter(({ parser, property }) => parser === name && SAFETY_PROPERTIES.includes(property));
  });
}

/** The controls that no finding catches. */
export function passingControls(findings: readonly Finding[]): readonly ControlName[] {
  return CONTROL_NAMES.filter(
    (name) => !findings.some(({ parser, property }) => parser === name && SAFETY_PROPERTIES.includes(property)),
  );
}
