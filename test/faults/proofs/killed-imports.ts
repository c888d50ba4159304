/** An import that is killed, however often, and resumed comes to the same end as one that was left alone. */
import fc from 'fast-check';
import { EXIT } from '../../../lib/admin/command/exit-codes.ts';
import type { Block, Finding, Run } from '../../../tools/report/report.ts';
import type { Cargo } from '../killed-imports/cargo.ts';
import { complianceCargo } from '../killed-imports/compliance-cargo.ts';
import { contentCargo } from '../killed-imports/content-cargo.ts';
import { type CliRun, type Course, type Kill, takeCourse } from '../killed-imports/course.ts';
import { vehicleCargo } from '../killed-imports/vehicle-cargo.ts';

const SEED = 20_260_615;
/** Kills of one import before it is left to come to its end; what is left over of them goes to the next import. */
const KILLS_PER_COURSE = 8;
/**
 * Records that one kill may cost to be written again: those of the 500 rows since the last entry in the journal, and of
 * the nine batches of 25 that were on their way when that was made.
 */
const MAX_WRITTEN_AGAIN = 500 + 9 * 25;

interface Work {
  readonly cargo: Cargo;
  readonly kills: number;
  /** The latest database call of a run at which it is killed. */
  readonly latestCall: number;
}

const SIZES: Readonly<Record<string, readonly Work[]>> = {
  quick: [
    { cargo: vehicleCargo(2_000), kills: 4, latestCall: 60 },
    { cargo: contentCargo(1_100), kills: 2, latestCall: 800 },
  ],
  long: [
    { cargo: vehicleCargo(10_000), kills: 25, latestCall: 120 },
    { cargo: complianceCargo(10_000), kills: 10, latestCall: 120 },
    { cargo: contentCargo(6_000), kills: 15, latestCall: 1_000 },
  ],
};

/** What one file came to: left alone, and in courses with kills. */
interface Trial extends Work {
  readonly undisturbed: Course;
  readonly courses: readonly Course[];
}

/** More than are needed: a run may come to its end before its kill. */
const killsFor = ({ kills, latestCall }: Work): Kill[] => {
  const call = fc.noBias(fc.integer({ min: 1, max: latestCall }));
  const moments = fc.sample(fc.record({ call, applied: fc.boolean() }), { seed: SEED, numRuns: kills * 3 });
  return moments.map((moment, nth) => ({ ...moment, seed: SEED + nth }));
};

const killsIn = (courses: readonly Course[]): number =>
  courses.flatMap(({ runs }) => runs).filter(({ killed }) => killed).length;

const tryOut = async (work: Work, onKills: (kills: number) => void): Promise<Trial> => {
  const undisturbed = await takeCourse(work.cargo, []);
  const courses: Course[] = [];
  const waiting = killsFor(work);
  while (killsIn(courses) < work.kills && waiting.length > 0) {
    const left = Math.min(KILLS_PER_COURSE, work.kills - killsIn(courses));
    const course = await takeCourse(work.cargo, waiting.slice(0, left));
    waiting.splice(0, course.runs.length);
    courses.push(course);
    onKills(killsIn(courses));
  }
  return { ...work, undisturbed, courses };
};

const sum = <T>(of: readonly T[], value: (each: T) => number): number =>
  of.reduce((total, each) => total + value(each), 0);

const runsIn = (trials: readonly Trial[]): readonly CliRun[] =>
  trials.flatMap(({ courses }) => courses.flatMap(({ runs }) => runs));

const inMiddle = (courses: readonly Course[]): number =>
  courses.flatMap(({ runs }) => runs).filter(({ startLine }) => startLine > 1).length;

const wrongFinding = (
  promise: string,
  courses: readonly Course[],
  of: readonly (keyof Course['wrongs'])[],
): Finding => {
  const count = sum(courses, ({ wrongs }) => sum(of, (name) => wrongs[name]));
  const records = sum(courses, ({ cargo }) => cargo.records);
  return { promise, found: `${count}, of ${records} records in ${courses.length} imports`, holds: count === 0 };
};

const judge = (trials: readonly Trial[]): Finding[] => {
  const courses = trials.flatMap((trial) => trial.courses);
  const all = trials.flatMap((trial) => [trial.undisturbed, ...trial.courses]);
  const kills = killsIn(courses);
  const planned = sum(trials, (trial) => trial.kills);
  const asUndisturbed = trials.flatMap(({ undisturbed, courses: disturbed }) =>
    disturbed.filter(({ rejected }) => rejected === undisturbed.rejected),
  );
  const ended = all.filter(({ runs, isClosed }) => isClosed && runs.at(-1)?.exitCode === 1);
  const resumed = runsIn(trials).filter((run) => run.resumed);
  const last = courses.flatMap(({ runs }) => runs.at(-1) ?? []);
  const [stored, again] = [sum(last, (run) => run.stored), sum(last, ({ writtenAgain }) => writtenAgain)];
  const most = Math.max(0, ...resumed.map(({ writtenAgain }) => writtenAgain));
  return [
    { promise: `${planned} runs are killed with SIGKILL`, found: `${kills}`, holds: kills === planned },
    wrongFinding('No record of the file is lost', all, ['lost']),
    wrongFinding('None is stored twice', all, ['doubled']),
    wrongFinding('Each is as the file has it, not an older one that was there before', all, ['stale']),
    wrongFinding('Lists are in the order of the file', all, ['misplaced']),
    wrongFinding('Nothing else is stored or changed, and content check finds no fault', all, ['stray', 'inconsistent']),
    {
      promise: 'The file of refused rows is that of an undisturbed import, byte for byte',
      found: `${asUndisturbed.length} of ${courses.length}`,
      holds: asUndisturbed.length === courses.length,
    },
    {
      promise: 'Each import ends with exit code 1, as rows were refused, and leaves nothing to resume',
      found: `${ended.length} of ${all.length}`,
      holds: ended.length === all.length,
    },
    {
      promise: 'Runs of each kind set out in the middle of the file',
      found: trials.map(({ cargo, courses: of }) => `${inMiddle(of)} of ${cargo.kind}`).join(', '),
      holds: trials.every(({ courses: of }) => inMiddle(of) > 0),
    },
    {
      promise: 'Resumed, the last run of each import writes less than if it started anew',
      found: `of ${stored} records that were stored already it wrote ${again} again`,
      holds: last.every((run) => run.resumed) && again < stored,
    },
    {
      promise: `A kill has at most ${MAX_WRITTEN_AGAIN} records written again, however long the file is`,
      found: `at most ${most}`,
      holds: most <= MAX_WRITTEN_AGAIN,
    },
  ];
};

const show = (trials: readonly Trial[]): Block[] => [
  {
    text: [
      'The real CLI in a process of its own (`bin/admin.ts import … --resume`), between it and the embedded engine a proxy that counts its',
      'database calls. A run is killed with SIGKILL when it makes its nth call, n drawn anew for each run, and that call reaches the database',
      `or not, by lot too (seed ${SEED}); until then a fifth of its calls is throttled, done in part or slow, which may end a run too. The next run resumes, until after at most ${KILLS_PER_COURSE} kills one is left to come to its end. The files have bad rows,`,
      'rows that stand twice, vehicles of one to three rows, some of them scattered, and an item that waits for the slug of a later one; before each import the tables',
      'hold older records of much that is in the file. Every run reads the file from its beginning, and writes from where the last one was.',
      'Kills fall on database calls; a kill within the writing of the journal itself is met only by chance.',
    ].join('\n'),
  },
  {
    table: {
      head: [
        'Import',
        'rows',
        'records',
        'imports',
        'kills',
        'ended by the database',
        'records to write',
        'written',
        'of these again',
        'by one run at most',
      ],
      rows: trials.map(({ cargo, courses }) => {
        const runs = courses.flatMap((course) => course.runs);
        return [
          cargo.kind,
          cargo.rows,
          cargo.records,
          courses.length,
          killsIn(courses),
          runs.filter(({ exitCode }) => exitCode === EXIT.notDone).length,
          courses.length * cargo.records,
          sum(runs, ({ written }) => written),
          sum(runs, ({ writtenAgain }) => writtenAgain),
          Math.max(0, ...runs.map(({ writtenAgain }) => writtenAgain)),
        ];
      }),
    },
  },
];

/** Courses of each kind, one after the other. */
const run: Run = async (progress, size) => {
  const works = SIZES[size] ?? [];
  const total = sum(works, ({ kills }) => kills);
  const trials: Trial[] = [];
  for (const work of works) {
    const before = killsIn(trials.flatMap(({ courses }) => courses));
    trials.push(await tryOut(work, (kills) => progress(before + kills, total, `kills, ${work.cargo.kind}`)));
  }
  return { findings: judge(trials), blocks: show(trials) };
};
export default run;
