/** `content check --repair` beside traffic: no false alarm, nothing broken, everything planted found and repaired. */
import type { Block, Finding, Run } from '../../../tools/report/report.ts';
import { type BesideChurn, checkBesideChurn } from '../content-check/check-beside-churn.ts';

const CHECKS: Readonly<Record<string, number>> = { quick: 30, long: 1_000 };

const none = (promise: string, found: readonly string[], of: string): Finding => ({
  promise,
  found: [`${found.length}, of ${of}`, ...new Set(found.slice(0, 3))].join('; '),
  holds: found.length === 0,
});

const judge = ({ checks, planted, falseAlarms, missed, unrepaired, broken, busy }: BesideChurn): Finding[] => [
  none('No false alarm', falseAlarms, `${checks} checks`),
  none('Every planted inconsistency is found', missed, `${planted}`),
  none('Every inconsistency that is found is repaired', unrepaired, `${planted}`),
  none('Nothing is broken: every item listed once, every total right', broken, 'all lists once the traffic has ended'),
  {
    promise: 'Hardly a check leaves a bucket uncounted because it changes too often (at most 1 %)',
    found: `${busy} of ${checks} checks`,
    holds: busy <= checks / 100,
  },
];

const show = ({ checks, changes, planted }: BesideChurn): Block[] => [
  {
    text: [
      `${checks} runs of \`content check --repair\` while three clients made ${changes} creates, moves and deletes in the same lists. Every request and every`,
      'answer is held up for a random time, and the scan comes in pages of 25 entries, so that what a check reads is of many different moments.',
      `${planted} inconsistencies were planted: missing and orphaned members, missing and orphaned slug claims, wrong counters and position allocators that are behind, most of them where the traffic is.`,
      'After each check, repairs of what is consistent are asked for, as by an operator whose report is out of date. Counters begin without change numbers.',
    ].join('\n'),
  },
];

const run: Run = async (progress, size) => {
  const checks = CHECKS[size] ?? 0;
  const outcome = await checkBesideChurn(checks, (done) => progress(done, checks, 'checks'));
  return { findings: judge(outcome), blocks: show(outcome) };
};
export default run;
