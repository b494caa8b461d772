/** Small damage to the bytes of a valid message: what a model, a provider or a proxy could have done to it. */
import fc from 'fast-check';

/** Bytes that mean something in one of the languages. */
const TELLING = Buffer.from('\n\r \t"\\<>{}[]:,\'0159eEncal/.-_é\u0000');
const TELLING_BYTES = [...TELLING, 0xff];

interface Damage {
  readonly how: 'delete' | 'insert' | 'replace' | 'swap' | 'truncate' | 'repeat';
  /** Taken modulo the length. */
  readonly at: number;
  readonly count: number;
  readonly byte: number;
}

const DAMAGE: fc.Arbitrary<Damage> = fc.record({
  how: fc.constantFrom('delete', 'insert', 'replace', 'swap', 'truncate', 'repeat'),
  at: fc.nat(4095),
  count: fc.integer({ min: 1, max: 4 }),
  byte: fc.constantFrom(...TELLING_BYTES),
});

/** Half of the messages as they are, half with 1 to 3 places damaged. */
export function perhapsDamaged(messages: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  const places = fc.oneof(fc.constant<Damage[]>([]), fc.array(DAMAGE, { minLength: 1, maxLength: 3 }));
  return fc.tuple(messages, places).map(([message, damages]) => damages.reduce(damage, message));
}

function damage(bytes: Uint8Array, { how, at, count, byte }: Damage): Uint8Array {
  if (bytes.length === 0) return how === 'insert' ? Uint8Array.of(byte) : bytes;
  const place = at % bytes.length;
  const before = bytes.subarray(0, place);
  const after = bytes.subarray(place);
  switch (how) {
    case 'delete':
      return Buffer.concat([before, after.subarray(count)]);
    case 'insert':
      return Buffer.concat([before, Uint8Array.of(byte), after]);
    case 'replace':
      return Buffer.concat([before, Uint8Array.of(byte), after.subarray(1)]);
    case 'swap':
      return Buffer.concat([before, after.subarray(1, 1 + count), after.subarray(0, 1), after.subarray(1 + count)]);
    case 'truncate':
      return before;
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, count), after]);
  }
}
