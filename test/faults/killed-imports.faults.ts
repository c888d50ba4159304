import { extname } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EXIT } from '../../lib/admin/command/outcome.ts';
import { complianceFixture, contentFixture, type ImportFixture, vehicleFixture } from './killed-imports/fixtures.ts';
import { type ImportOutcome, type Kill, runImport } from './killed-imports/run-import.ts';
import { bySize, reportFigures, sum, TIMEOUT_MS } from './size.ts';

const SEED = 20_260_615;
/** Kills of one import before it may finish; the other kills are for the next import. */
const KILLS_PER_IMPORT = 8;
/**
 * Records that one kill may cause to be written again: those of the 500 rows since the position was saved, and of the 17
 * batches of 25 that were not confirmed then, of which one was not sent yet.
 */
const MAX_WRITTEN_AGAIN = 500 + 17 * 25;

interface Plan {
  readonly fixture: ImportFixture;
  readonly kills: number;
  /** The latest database call of a run at which it is killed. */
  readonly latestCall: number;
}

const PLANS: readonly Plan[] = bySize(
  [
    { fixture: vehicleFixture(1_500), kills: 3, latestCall: 60 },
    { fixture: complianceFixture(1_500), kills: 1, latestCall: 60 },
    { fixture: contentFixture(1_100), kills: 2, latestCall: 800 },
  ],
  [
    { fixture: vehicleFixture(10_000), kills: 10, latestCall: 120 },
    { fixture: complianceFixture(10_000), kills: 5, latestCall: 120 },
    { fixture: contentFixture(3_000), kills: 6, latestCall: 1_000 },
  ],
);

/** More than are needed: a run may end before its kill. */
const killsFor = ({ kills, latestCall }: Plan): Kill[] => {
  const call = fc.noBias(fc.integer({ min: 1, max: latestCall }));
  const drawn = fc.sample(fc.record({ call, applied: fc.boolean() }), { seed: SEED, numRuns: kills * 3 });
  return drawn.map((kill, nth) => ({ ...kill, seed: SEED + nth }));
};

const runsOf = (imports: readonly ImportOutcome[]) => imports.flatMap(({ runs }) => runs);
const killsIn = (imports: readonly ImportOutcome[]): number =>
  runsOf(imports).filter(({ isKilled }) => isKilled).length;

const killAndContinue = async (plan: Plan): Promise<ImportOutcome[]> => {
  const imports: ImportOutcome[] = [];
  const waiting = killsFor(plan);
  while (killsIn(imports) < plan.kills && waiting.length > 0) {
    const left = Math.min(KILLS_PER_IMPORT, plan.kills - killsIn(imports));
    const outcome = await runImport(plan.fixture, waiting.slice(0, left));
    waiting.splice(0, outcome.runs.length);
    imports.push(outcome);
  }
  return imports;
};

/** Until it is killed, a fifth of a run's database calls are throttled, partial or slow, which may end a run too. */
describe.each(PLANS)('An import of $fixture.kind that is killed and continued', (plan) => {
  let undisturbed: ImportOutcome;
  let imports: ImportOutcome[];
  const all = () => [undisturbed, ...imports];

  beforeAll(async () => {
    undisturbed = await runImport(plan.fixture, []);
    imports = await killAndContinue(plan);
    reportFigures(`killed imports of ${plan.fixture.kind}`, {
      rows: plan.fixture.text.split('\n').length,
      imports: imports.length,
      kills: killsIn(imports),
      mostWrittenAgain: Math.max(...runsOf(imports).map(({ writtenAgain }) => writtenAgain)),
    });
  }, TIMEOUT_MS);

  it(`is killed ${plan.kills} times with SIGKILL, and continues`, () => {
    expect(killsIn(imports)).toBe(plan.kills);
    expect(runsOf(imports).some(({ isContinued }) => isContinued)).toBe(true);
  });

  it('stores each record of the file once, in the order of the file, and nothing else', () => {
    const [first, ...more] = all().flatMap(({ differences }) => differences);
    expect([first, more.length]).toEqual([undefined, 0]);
  });

  it('writes the same file of rejected rows as an import without kills', () => {
    expect(imports.filter(({ rejected }) => rejected !== undisturbed.rejected)).toEqual([]);
  });

  it('ends with the exit code for rejected rows and leaves no staging file', () => {
    const { fileName } = plan.fixture;
    const ends = all().map(({ filesLeft, runs }) => ({ files: filesLeft.toSorted(), exitCode: runs.at(-1)?.exitCode }));
    const files = [fileName, `${fileName}.rejected${extname(fileName)}`];
    expect(ends).toEqual(all().map(() => ({ files, exitCode: EXIT.someRejected })));
  });

  it('writes less in the last run than an import from the beginning', () => {
    const last = imports.flatMap(({ runs }) => runs.at(-1) ?? []);
    expect(last.filter(({ isContinued }) => !isContinued)).toEqual([]);
    expect(sum(last, ({ writtenAgain }) => writtenAgain)).toBeLessThan(sum(last, ({ writtenBefore }) => writtenBefore));
  });

  it(`writes at most ${MAX_WRITTEN_AGAIN} records again per kill, however long the file is`, () => {
    const continued = runsOf(imports).filter((run) => run.isContinued);
    expect(Math.max(0, ...continued.map(({ writtenAgain }) => writtenAgain))).toBeLessThanOrEqual(MAX_WRITTEN_AGAIN);
  });
});
