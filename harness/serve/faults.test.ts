import { describe, expect, it } from 'vitest';
import { armedFault, FAULT_FORMS, faultsOf, parseFault } from './faults.ts';

describe('a fault as it is written', () => {
  it.each([
    ['cut@1200', { kind: 'cut', at: 1200 }],
    ['reset@0', { kind: 'reset', at: 0 }],
    ['stall@5', { kind: 'stall', at: 5, ms: null }],
    ['stall@500:3000', { kind: 'stall', at: 500, ms: 3000 }],
    ['duplicate@7', { kind: 'duplicate', at: 7 }],
    ['status:429', { kind: 'status', status: 429, retryAfter: 1 }],
    ['status:429:0', { kind: 'status', status: 429, retryAfter: 0 }],
    ['status:500', { kind: 'status', status: 500, retryAfter: null }],
    ['status:503:7', { kind: 'status', status: 503, retryAfter: 7 }],
    ['trickle:1:20', { kind: 'trickle', bytes: 1, ms: 20 }],
  ])('%s is read', (text, fault) => {
    expect(parseFault(text)).toEqual(fault);
  });

  it.each([
    'boom',
    'cut',
    'cut@',
    'cut@-1',
    'cut@1e3',
    ' cut@1',
    'cut@1:2',
    'stall@1:2147483648',
    'status:200',
    'status:600',
    'trickle:0:20',
    'trickle:5',
    'cut@9999999999999999',
  ])('%s is refused with the list of what there is', (text) => {
    const words = FAULT_FORMS.join(', ');
    expect(() => parseFault(text)).toThrow(`there is no fault ${JSON.stringify(text)}; there are ${words}`);
  });
});

describe('the faults of an attempt', () => {
  it('are those that have not yet happened often enough', () => {
    const armed = [armedFault('status:429', 1), armedFault('cut@9', 2), armedFault('trickle:1:1')];
    const texts = [1, 2, 3].map((attempt) => faultsOf(armed, attempt).map(({ text }) => text));
    expect(texts).toEqual([['status:429', 'cut@9', 'trickle:1:1'], ['cut@9', 'trickle:1:1'], ['trickle:1:1']]);
  });
});
