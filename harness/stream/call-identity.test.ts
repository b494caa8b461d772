import { describe, expect, it } from 'vitest';
import { type CallIdentity, type DeltaIdentity, type Owner, ownerOf } from './call-identity.ts';

function call(ordinal: number, id: string | null, name: string | null): CallIdentity {
  return { ordinal, id, name };
}

const AT_INDEX = call(0, 'c1', 'read');
const WITH_ID = call(1, 'c2', 'write');
const LAST = call(2, null, 'list');

interface Row {
  readonly place?: CallIdentity;
  readonly known?: CallIdentity;
  readonly delta: Partial<DeltaIdentity>;
  readonly owner: Owner<CallIdentity>;
}

const NEW = { kind: 'new' } as const;
const known = (of: CallIdentity) => ({ kind: 'known', call: of }) as const;
const renamed = (of: CallIdentity) => ({ kind: 'renamed', call: of }) as const;

const NAMELESS = call(0, null, null);
const ID_ONLY = call(0, 'c1', null);
const NAME_ONLY = call(0, null, 'read');

describe('which call a tool delta belongs to', () => {
  it.each<[string, Row]>([
    ['new index, id, name: opens a call', { delta: { index: 1, id: 'c9', name: 'read' }, owner: NEW }],
    ['new index, name: opens a call', { delta: { index: 1, name: 'read' }, owner: NEW }],
    ['new index, id: opens a call', { delta: { index: 1, id: 'c9' }, owner: NEW }],
    ['new index, nothing: opens a nameless place', { delta: { index: 1 }, owner: NEW }],
    [
      'new index, known id, name: opens a call',
      { known: WITH_ID, delta: { index: 1, id: 'c2', name: 'x' }, owner: NEW },
    ],

    ['used index, nothing: that call', { place: AT_INDEX, delta: { index: 0 }, owner: known(AT_INDEX) }],
    ['used index, same id: that call', { place: AT_INDEX, delta: { index: 0, id: 'c1' }, owner: known(AT_INDEX) }],
    [
      'used index, same id and name: that call',
      { place: AT_INDEX, delta: { index: 0, id: 'c1', name: 'read' }, owner: known(AT_INDEX) },
    ],
    [
      'used index, same name: that call',
      { place: AT_INDEX, delta: { index: 0, name: 'read' }, owner: known(AT_INDEX) },
    ],
    [
      'used index, another id, a name: opens a call',
      { place: AT_INDEX, delta: { index: 0, id: 'c9', name: 'read' }, owner: NEW },
    ],
    [
      'used index, another id, no name: that call',
      { place: AT_INDEX, delta: { index: 0, id: 'c9' }, owner: known(AT_INDEX) },
    ],
    [
      'used index, another name: renamed',
      { place: AT_INDEX, delta: { index: 0, name: 'write' }, owner: renamed(AT_INDEX) },
    ],
    [
      'used index, same id, another name: renamed',
      { place: AT_INDEX, delta: { index: 0, id: 'c1', name: 'write' }, owner: renamed(AT_INDEX) },
    ],

    [
      'nameless place, a name: that call',
      { place: NAMELESS, delta: { index: 0, name: 'read' }, owner: known(NAMELESS) },
    ],
    [
      'nameless place, an id and a name: that call',
      { place: NAMELESS, delta: { index: 0, id: 'c1', name: 'read' }, owner: known(NAMELESS) },
    ],
    ['nameless place, an id: that call', { place: NAMELESS, delta: { index: 0, id: 'c1' }, owner: known(NAMELESS) }],
    [
      'place with an id, its name: that call',
      { place: ID_ONLY, delta: { index: 0, id: 'c1', name: 'read' }, owner: known(ID_ONLY) },
    ],
    [
      'place with an id, another id and a name: opens a call',
      { place: ID_ONLY, delta: { index: 0, id: 'c9', name: 'read' }, owner: NEW },
    ],
    [
      'place with a name, an id: that call',
      { place: NAME_ONLY, delta: { index: 0, id: 'c1' }, owner: known(NAME_ONLY) },
    ],
    [
      'place with a name and no id, an id and the same name: that call',
      { place: NAME_ONLY, delta: { index: 0, id: 'c1', name: NAME_ONLY.name }, owner: known(NAME_ONLY) },
    ],
    [
      'place with a name and no id, an id and another name: opens a call',
      { place: NAME_ONLY, delta: { index: 0, id: 'c1', name: 'other' }, owner: NEW },
    ],

    ['no index, new id: opens a call', { delta: { id: 'c9' }, owner: NEW }],
    ['no index, new id, name: opens a call', { delta: { id: 'c9', name: 'read' }, owner: NEW }],
    ['no index, known id, no name: the call opened last', { known: WITH_ID, delta: { id: 'c2' }, owner: known(LAST) }],
    [
      'no index, known id, same name: that call',
      { known: WITH_ID, delta: { id: 'c2', name: 'write' }, owner: known(WITH_ID) },
    ],
    [
      'no index, known id, another name: renamed',
      { known: WITH_ID, delta: { id: 'c2', name: 'read' }, owner: renamed(WITH_ID) },
    ],
    ['no index, no id, a name: opens a call', { delta: { name: 'list' }, owner: NEW }],
    ['nothing at all: the call opened last', { delta: {}, owner: known(LAST) }],
  ])('%s', (_, { place, known: withId, delta, owner }) => {
    const candidates = { atIndex: place, withId, last: LAST };
    expect(ownerOf({ index: null, id: null, name: null, ...delta }, candidates)).toEqual(owner);
  });

  it('nothing at all, and no call: nobody', () => {
    const candidates = { atIndex: undefined, withId: undefined, last: undefined };
    expect(ownerOf({ index: null, id: null, name: null }, candidates)).toEqual({ kind: 'nobody' });
  });
});
