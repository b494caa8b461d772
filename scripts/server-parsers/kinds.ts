/**
 * The kinds of difference between a server's parser and ours, each looked at and explained. A finding is of the first kind
 * that it fits; one that fits none is told by table.ts, and is a reason to look.
 */
import type { ServerRow } from './run.ts';

/** Whose a difference is. */
export const WHOSE = {
  server: 'server',
  stricter: 'ours is stricter, on purpose',
  ours: 'ours loses a good call',
  policy: 'policy of the client',
  setup: 'how it was run',
} as const;

export interface Kind {
  readonly whose: keyof typeof WHOSE;
  /** One sentence or two, in Markdown. */
  readonly what: string;
  readonly fits: (row: ServerRow) => boolean;
}

export function kindOf(row: ServerRow): Kind | null {
  return KINDS.find(({ fits }) => fits(row)) ?? null;
}

/** Names a stream without its dialect: `two-plain` of `deepseek-two-plain.deepseek.sse`. */
function isOne(stems: readonly string[]): (row: ServerRow) => boolean {
  return ({ file }) =>
    stems.includes(file.replace(/^(hermes|qwen|glm|deepseek|kimi|harmony)-/, '').split('.')[0] ?? '');
}

function by(server: string, ...parsers: string[]): (row: ServerRow) => boolean {
  return (row) => row.server === server && (parsers.length === 0 || parsers.includes(row.parser));
}

function all(...conditions: readonly ((row: ServerRow) => boolean)[]): (row: ServerRow) => boolean {
  return (row) => conditions.every((condition) => condition(row));
}

const runsBesides = ({ extra }: ServerRow): boolean => extra > 0;
const runsOtherwise = ({ other }: ServerRow): boolean => other > 0;
const isLost = ({ lost, end }: ServerRow): boolean => lost > 0 && end === 'complete';
const isBroken = ({ broken }: ServerRow): boolean => broken > 0;
const bySteps = ({ feed }: ServerRow): boolean => feed === 'delta';
const losesBySteps = (row: ServerRow): boolean => isLost(row) || row.violated.includes('split');

const SET_UP: readonly Kind[] = [
  {
    whose: 'policy',
    what: 'In a cut the last whole call does not run: no later call has begun. Ours runs at its closing tag.',
    fits: ({ end, extra, other, broken }) => end === 'cut' && extra + other + broken === 0,
  },
  {
    whose: 'setup',
    what: 'A call drafted in a leading `<think>` block is read: no reasoning parser of the server was set up before it.',
    fits: isOne(['after-thinking']),
  },
  {
    whose: 'setup',
    what: 'A call in the form of another template of the same dialect is not read: SGLang `qwen25` wants an LF behind `<tool_call>`, `deepseekv3` wants fences (as vLLM `deepseek_v3` does).',
    fits: (row) =>
      (by('sglang', 'qwen25')(row) && isLost(row) && row.suite === 'crafted') || isOne(['both-forms'])(row),
  },
];

/** A call is lost, halved, doubled, or runs with what belongs to another. */
const FAULTS: readonly Kind[] = [
  {
    whose: 'server',
    what: 'A call of which one step brings most **runs without its arguments**: the name is sent, the arguments that came with it never are.',
    fits: all(by('vllm', 'deepseek_v31', 'deepseek_v3'), bySteps, runsOtherwise, ({ suite }) => suite === 'reframed'),
  },
  {
    whose: 'server',
    what: 'The **first call runs with the arguments of the second**, which one step brings with it.',
    fits: all(by('vllm', 'deepseek_v31'), bySteps, runsOtherwise),
  },
  {
    whose: 'server',
    what: 'A call that begins and ends in one step is **lost**, alone or with others: starts and ends of calls are counted per step.',
    fits: all(by('vllm', 'deepseek_v31', 'deepseek_v3'), bySteps, losesBySteps),
  },
  {
    whose: 'server',
    what: 'Two calls in one step become **one call under a name that is the whole first call and more**; its arguments are those of the last.',
    fits: all(by('sglang', 'deepseekv31'), bySteps, runsOtherwise),
  },
  {
    whose: 'server',
    what: 'Of several calls that one step brings the later are **lost**: a step gives one delta or one call, what is left waits for a next step, and none comes.',
    fits: all(by('sglang', 'hermes', 'qwen25', 'deepseekv3', 'deepseekv31', 'glm45', 'glm47'), bySteps, (row) => {
      return row.violated.includes('split') || (isOne(['two-fenced', 'text-between'])(row) && row.parser !== 'glm45');
    }),
  },
  {
    whose: 'server',
    what: 'A name is read up to the first LF, over tags: a call without arguments and the one behind it become **one call with a name of both**, and a call whose tags have no LF between them is lost, or gets its tags as its name. (`glm45` is for a template with LFs; later ones have none.)',
    fits: all(by('sglang', 'glm45'), (row) => isLost(row) || runsOtherwise(row) || row.what.includes('(t<arg_key>')),
  },
  {
    whose: 'server',
    what: '`<function=` **in a value begins a call**: the call that has the value is broken, and one that nobody made runs.',
    fits: all(by('vllm', 'qwen3_coder'), isOne(['value-tags'])),
  },
  {
    whose: 'server',
    what: 'A value that holds its closer (`</parameter>`, `</arg_value>`, `<parameter=`) is cut there, and the **call runs shortened**; what is left is passed over, or is a key that nobody meant. Ours refuses the call. `t10` is a call that a model made.',
    fits: all(
      isOne(['closer-in-value', 'parameter-in-value', 't10']),
      runsBesides,
      ({ dialect }) => dialect !== 'hermes',
    ),
  },
  {
    whose: 'server',
    what: 'Where a closing tag is missing, **one call runs with what two tags, or two calls, hold**. Ours refuses it.',
    fits: all(runsBesides, isOne(['value-closer-missing', 'call-closer-missing'])),
  },
  {
    whose: 'server',
    what: 'A stray `</function>` behind a call gives it one more `}`: **the call, which was whole, is broken** and lost.',
    fits: all(by('sglang', 'qwen3_coder'), isOne(['value-holds-the-end'])),
  },
  {
    whose: 'server',
    what: 'A complete end **finishes a half call**: one of which only the name has come, or the name and a piece of its arguments, is sent as a call without arguments, and runs with `{}`.',
    fits: all(runsBesides, (row) => {
      const isHalf = isOne(['key-open', 'name-open', 'id-open'])(row) || isQwenHalf(row);
      return isHalf || (row.server === 'sglang' && isOne(['second-is-bad'])(row));
    }),
  },
  {
    whose: 'server',
    what: 'Arguments are all that stands behind the first `"arguments":`, but for the last brace: members behind them (a name, an id) break the call, and it is **lost**.',
    fits: all(by('vllm', 'hermes'), isOne(['arguments-first', 'other-members'])),
  },
  {
    whose: 'server',
    what: 'Keys are looked for in the source, not in the JSON: `arguments` written with an escape is not found, and the call **runs with `{}`**. The same with `parameters`, which SGLang takes for `arguments`.',
    fits: all(by('vllm', 'hermes'), isOne(['escaped-key', 'parameters'])),
  },
  {
    whose: 'server',
    what: 'Of harmony only `<|channel|>commentary to=NAME <|constrain|>json` with a name without dots and hyphens is read; calls on `analysis`, without a type, or with the recipient before the channel are **lost**.',
    fits: all(
      by('sglang', 'gpt-oss'),
      isOne([
        'call-on-analysis',
        'dots-in-name',
        'no-type',
        'recipient-in-role',
        'recipient-in-role-started',
        'quoted-in-final',
      ]),
    ),
  },
  {
    whose: 'server',
    what: 'The last call is **lost** where the stop token `<|call|>` is not in the text (docs/dialects-special-tokens.md; SGLang leaves it in).',
    fits: all(by('sglang', 'gpt-oss'), isOne(['second-open', 'stop-token-taken-out'])),
  },
  {
    whose: 'server',
    what: 'The id that the model gave is not kept: ids are counted anew, from 0 (SGLang does so on purpose; the model then sees its results under other ids).',
    fits: all(by('sglang', 'kimi_k2'), ({ what }) => what.includes(': id ')),
  },
  { whose: 'server', what: 'Blanks around a key are taken away.', fits: isOne(['key-verbatim']) },
  {
    whose: 'server',
    what: 'A call that is none is handed over, with arguments that are **no JSON object** or without a name: only a client that parses and checks them is safe. Ours refuses it.',
    fits: (row) => isBroken(row) && row.lost + row.extra + row.other === 0,
  },
];

function isQwenHalf(row: ServerRow): boolean {
  return row.dialect === 'qwen-xml' && isOne(['second-open', 'value-open'])(row);
}

const STRICTER: readonly Kind[] = [
  {
    whose: 'ours',
    what: 'A JSON string or a value that holds `</tool_call>`: the server reads on, and runs **the call that was meant**. Ours ends the call there and refuses it.',
    fits: (row) =>
      (by('sglang', 'hermes', 'qwen25')(row) && isOne(['closer-in-value'])(row)) || isOne(['block-end-in-value'])(row),
  },
  {
    whose: 'stricter',
    what: 'A call whose closing tag (or last brace, or fence) is missing at a complete end runs, if its arguments are whole.',
    fits: all(
      runsBesides,
      isOne(['second-open', 'closer-unfinished', 'closer-missing', 'end-token-partial', 'brace-missing', 'fence-open']),
    ),
  },
  {
    whose: 'stricter',
    what: 'Of two equal keys one wins (the last, but for the name in `hermes`).',
    fits: all(runsBesides, isOne(['key-twice', 'name-twice', 'repeated-key'])),
  },
  {
    whose: 'stricter',
    what: 'A call without arguments, or with empty ones, runs with `{}`; so does one whose arguments stand where the form has none.',
    fits: all(
      runsBesides,
      isOne(['arguments-missing', 'no-arguments', 'no-argument-token', 'second-is-wrong', 'parameters']),
    ),
  },
  {
    whose: 'stricter',
    what: 'A call outside of its section or block is read.',
    fits: all(runsBesides, isOne(['no-block', 'call-without-section', 'singular-section'])),
  },
  {
    whose: 'stricter',
    what: 'What is no name, id or key is taken for one: blanks, tags, braces, a body of another dialect, an id of another provider.',
    fits: all(
      runsBesides,
      isOne([
        'name-unclosed',
        'name-with-tag',
        'name-on-next-line',
        'text-after-name',
        'json',
        'key-empty',
        'key-unclosed',
        'key-with-line-feed',
        'value-without-key',
        'blank-in-name',
        'no-name',
        'two-colons',
        'openai-id',
        'hermes-call',
        'name-with-arguments',
        'name-with-written-line-feed',
      ]),
    ),
  },
  {
    whose: 'stricter',
    what: 'Text where only tags may stand, a second object, a second opener, or a tag within a value is passed over or kept.',
    fits: runsBesides,
  },
];

/** Only where the stream is made to end as complete inside of a call (docs/own-parser.md: drawn ends and continuations). */
const endsInside = ({ violated, what }: ServerRow): boolean =>
  violated.length === 1 && violated[0] === 'continuation' && what.endsWith('then complete');

const ENDS: readonly Kind[] = [
  {
    whose: 'server',
    what: 'An answer that is made to end as complete inside of a call: its arguments are closed wherever they stand, and **the call runs with a part of a value** (`{"command": "rm -rf build` runs `rm -rf build`).',
    fits: all(by('sglang', 'hermes'), endsInside),
  },
  {
    whose: 'server',
    what: 'An answer that is made to end as complete inside of a call: the call runs with the arguments that are whole by then, without its closing tag and without those that were to come, or with `{}` where none is.',
    fits: endsInside,
  },
];

export const KINDS: readonly Kind[] = [...SET_UP, ...FAULTS, ...STRICTER, ...ENDS];
