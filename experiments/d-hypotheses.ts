/** What was counted? Each hypothesis against the wrong lengths, beside what chance would give. */
import { type Counts, countsOf, HYPOTHESES, type Hypothesis, sizeBucketOf } from './d-counts.ts';
import { isOfKind, type MeasuredArgument, type ModelAnswers, measuredArguments } from './d-figures.ts';
import { type HypothesisRow, TEXT_KINDS } from './d-rows.ts';
import { wilson } from './statistics.ts';

interface WrongLength extends MeasuredArgument {
  readonly counts: Counts;
}

/** Hypotheses that could be tried on no value are left out. */
export function hypothesisRows(answers: ModelAnswers): HypothesisRow[] {
  const wrong = measuredArguments(answers)
    .filter(({ error }) => error !== 0)
    .map((argument): WrongLength => ({ ...argument, counts: countsOf(argument.value) }));
  return TEXT_KINDS.flatMap((text) => {
    const own = wrong.filter((argument) => isOfKind(argument, text));
    return HYPOTHESES.flatMap((hypothesis) => {
      const tested = own.filter(({ counts }) => hypothesis.count(counts) !== null);
      const fits = tested.filter(({ counts, declared }) => hypothesis.count(counts) === declared).length;
      const interval = wilson(fits, tested.length);
      if (interval === null) return [];
      return [
        {
          model: answers.model,
          text,
          hypothesis: hypothesis.name,
          about: hypothesis.about,
          tested: tested.length,
          fits,
          share: fits / tested.length,
          low: interval.low,
          high: interval.high,
          byChance: fitsByChance(hypothesis, tested, wrong),
        },
      ];
    });
  });
}

/**
 * How many would fit if the errors had nothing to do with what the value holds: each value is given the relative error
 * of every wrong length of other answers in its size bucket in turn, and the share that fits is its chance.
 */
function fitsByChance(hypothesis: Hypothesis, tested: readonly WrongLength[], wrong: readonly WrongLength[]): number {
  let expected = 0;
  for (const { counts, meant, answer } of tested) {
    const others = wrong.filter(
      (other) => other.answer !== answer && sizeBucketOf(other.meant) === sizeBucketOf(meant),
    );
    if (others.length === 0) continue;
    const target = hypothesis.count(counts);
    const fitting = others.filter((other) => Math.round((meant * other.declared) / other.meant) === target).length;
    expected += fitting / others.length;
  }
  return expected;
}
