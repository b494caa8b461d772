/** What became of meant values and calls: ran as meant, ran altered, or lost. `altered` is the dangerous one. */
import type { ToolCall } from '../harness/parsers/parser.ts';
import type { MeantFrame } from './d-readings.ts';
import type { AlteredRow, Effect, Origin } from './d-rows.ts';

export interface MeantValue {
  readonly key: string;
  /** `null` for a value that is not length-prefixed. */
  readonly declared: number | null;
  /** `null` where the readings do not say. */
  readonly value: Uint8Array | null;
}

/** Empty where it is not known what was meant. */
export function effectOfValue({ key, value }: MeantValue, ran: ToolCall | null): Effect | '' {
  if (value === null) return '';
  if (ran === null) return 'lost';
  const other = valueIn(ran, key);
  return other !== undefined && Buffer.compare(other, value) === 0 ? 'as_meant' : 'altered';
}

/** A call runs as meant with all its values as meant, and no further argument. */
export function effectOfCall(
  call: MeantFrame,
  values: readonly MeantValue[],
  ran: ToolCall | null,
): Effect | 'undecided' {
  if (values.some(({ value }) => value === null)) return 'undecided';
  if (ran === null) return 'lost';
  const isWhole = ran.name === call.name && keysIn(ran).length === values.length;
  return isWhole && values.every((value) => effectOfValue(value, ran) === 'as_meant') ? 'as_meant' : 'altered';
}

export function alteredRows(
  { suite, recording, model, task }: Origin,
  { call, values, ran }: { call: MeantFrame; values: readonly MeantValue[]; ran: ToolCall },
): AlteredRow[] {
  const place = { suite, recording, model, task, id: call.id, name: call.name };
  const changed = values.flatMap((meant): AlteredRow[] => {
    if (effectOfValue(meant, ran) !== 'altered' || meant.value === null) return [];
    const other = valueIn(ran, meant.key);
    return [
      {
        ...place,
        key: meant.key,
        declared: meant.declared,
        meant: meant.value.length,
        ran: other?.length ?? null,
        difference: other === undefined ? 'the argument is missing' : differenceOf(meant.value, other),
      },
    ];
  });
  const added = keysIn(ran).filter((key) => values.every((value) => value.key !== key));
  return [
    ...changed,
    ...added.map((key): AlteredRow => {
      const bytes = valueIn(ran, key)?.length ?? null;
      return { ...place, key, declared: null, meant: null, ran: bytes, difference: 'nobody meant this argument' };
    }),
  ];
}

/** Calls that ran and that the message, as it is meant, does not hold. */
export function unmeantRows(
  { suite, recording, model, task }: Origin,
  meant: readonly MeantFrame[],
  ran: readonly ToolCall[],
): AlteredRow[] {
  return ran
    .filter(({ id }) => meant.every((call) => call.id !== id))
    .map(({ id, name }) => ({
      suite,
      recording,
      model,
      task,
      id,
      name,
      key: '',
      declared: null,
      meant: null,
      ran: null,
      difference: 'nobody meant this call: it stands within a value',
    }));
}

function keysIn({ args }: ToolCall): readonly string[] {
  return args.form === 'values' ? args.values.map(({ key }) => key) : Object.keys(args.object);
}

function valueIn({ args }: ToolCall, key: string): Uint8Array | undefined {
  return args.form === 'values' ? args.values.find((value) => value.key === key)?.bytes : undefined;
}

const MOST_SHOWN = 60;

/** Where the values part, and what each has from there on. */
function differenceOf(meant: Uint8Array, ran: Uint8Array): string {
  let at = 0;
  while (at < meant.length && at < ran.length && meant[at] === ran[at]) at++;
  if (at === meant.length) return `${ran.length - at} more bytes at the end: ${excerpt(ran.subarray(at))}`;
  if (at === ran.length) return `${meant.length - at} bytes are missing at the end: ${excerpt(meant.subarray(at))}`;
  return `differs from byte ${at}: meant ${excerpt(meant.subarray(at))}, ran ${excerpt(ran.subarray(at))}`;
}

function excerpt(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, MOST_SHOWN)).toString('utf8');
  return `${JSON.stringify(text)}${bytes.length > MOST_SHOWN ? '…' : ''}`;
}
