import type { Finding, Outcome } from './report.ts';

const COMES_TO_AN_OUTCOME = 'It comes to an outcome';

/** A process that ended without an outcome, and has said why on standard error: nothing that it promises was shown. */
export const noOutcome = (how: string): Outcome => ({
  findings: [{ promise: COMES_TO_AN_OUTCOME, found: `its process ended by ${how}`, holds: false }],
  blocks: [],
});

/** Whether its process ended before it came to an outcome. */
export const hasCrashed = ({ findings }: Outcome): boolean =>
  findings.some(({ promise }) => promise === COMES_TO_AN_OUTCOME);

/** Every promise that does not hold; a proof that promises nothing has proven nothing, which is one too. */
export const brokenIn = (proofs: readonly Outcome[]): readonly Finding[] =>
  proofs.flatMap(({ findings }) =>
    findings.length > 0
      ? findings.filter(({ holds }) => !holds)
      : [{ promise: 'It promises something', found: 'nothing', holds: false }],
  );
