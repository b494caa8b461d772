/** The policies in the order of tables and charts, from the one that waits longest to the one that guesses most. */
import { POLICIES } from './peers-policies.ts';

export const OPENAI_POLICY = 'openai ChatCompletionStream, arguments.done';

/** Suite of the rows that are about all of them. */
export const ALL = 'all';

interface Ordered {
  readonly name: string;
  readonly runs: string;
}

const openai: Ordered = {
  name: OPENAI_POLICY,
  runs: 'the SDK says that its arguments are done (the next index, or any finish reason) and they parse',
};

const waiting = POLICIES.filter(({ trigger }) => trigger === 'end');
const others = POLICIES.filter(({ trigger }) => trigger !== 'end');

export const POLICY_ORDER: readonly Ordered[] = [...waiting, openai, ...others];
