/** Every regular expression that reads what callers or operators write, attacked: its time must grow as the text does. */
import type { Run } from '../../../tools/report/report.ts';
import { type Attack, attacksOn } from '../fuzz/patterns/attacks.ts';
import { type Growth, growthOf, isSuperlinear, SUPERLINEAR } from '../fuzz/patterns/growth.ts';
import { patternsInSource } from '../fuzz/patterns/patterns-in-source.ts';

/** Attacks on each expression besides those of single characters, and characters of the largest text. */
const SIZES: Readonly<Record<string, { readonly attacks: number; readonly largest: number }>> = {
  quick: { attacks: 25, largest: 2 ** 16 },
  long: { attacks: 200, largest: 2 ** 18 },
};
const SEED = 6_002;
const SHOWN = 10;

/** Expressions that are known to grow faster, so that the proof shows that it would see one. */
const KNOWN_SUPERLINEAR: readonly RegExp[] = [
  /(a+)+$/,
  /^(a|a)*$/,
  /^(\w+\s?)*$/,
  /^([a-z0-9]+-?)*$/,
  /\s+$/,
  /^\s*a*a*b/,
  /=.*;.*!/,
  /\d+\d+x/,
];

interface Attacked extends Growth {
  readonly attack: Attack;
}

/** What the attacks on an expression showed; the first that makes it superlinear is enough. */
const attacked = (pattern: RegExp, { attacks, largest }: { attacks: number; largest: number }) => {
  const grown: Attacked[] = [];
  for (const attack of attacksOn(pattern, attacks, SEED)) {
    const growth = growthOf(pattern, attack, largest);
    grown.push({ ...growth, attack });
    if (isSuperlinear(growth, largest)) break;
  }
  return {
    superlinear: grown.find((growth) => isSuperlinear(growth, largest)),
    steepest: grown.reduce((a, b) => (b.exponent > a.exponent ? b : a)),
    slowest: grown.reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a)),
  };
};

const inWords = ({ prefix, pump, suffix }: Attack): string =>
  `${JSON.stringify(prefix)} + ${JSON.stringify(pump)} × n + ${JSON.stringify(suffix)}`;

const code = (text: string): string => `\`${text}\``;

const run: Run = async (progress, size) => {
  const bounds = SIZES[size] ?? { attacks: 0, largest: 0 };
  const { patterns, madeAtRunTime } = patternsInSource();
  const judged = patterns.map(({ source, flags, file }, index) => {
    progress(index, patterns.length, file);
    return { file, pattern: new RegExp(source, flags), ...attacked(new RegExp(source, flags), bounds) };
  });
  const superlinear = judged.flatMap(({ superlinear, pattern, file }) =>
    superlinear ? [{ superlinear, pattern, file }] : [],
  );
  const missed = KNOWN_SUPERLINEAR.filter(
    (pattern) => attacked(pattern, { ...bounds, largest: SIZES.quick?.largest ?? 0 }).superlinear === undefined,
  );
  const steepest = Math.max(...judged.map((each) => each.steepest.exponent));
  const [slowest] = judged.map((each) => each.slowest).sort((a, b) => b.milliseconds - a.milliseconds);
  return {
    findings: [
      {
        promise: `the time of each of ${patterns.length} expressions grows with an exponent below ${SUPERLINEAR} (1 is linear)`,
        found:
          superlinear.length === 0
            ? `at most ${steepest.toFixed(2)}; at most ${slowest?.milliseconds.toFixed(2)} ms, for ${slowest?.size} characters`
            : superlinear
                .map((each) => `${each.pattern} (${each.file}) by ${inWords(each.superlinear.attack)}`)
                .join('; '),
        holds: patterns.length > 0 && superlinear.length === 0,
      },
      {
        promise: 'no expression is made at run time, where this proof could not read it',
        found: madeAtRunTime.length === 0 ? 'none' : madeAtRunTime.join(', '),
        holds: madeAtRunTime.length === 0,
      },
      {
        promise: 'the same check finds expressions that are known to grow faster',
        found: `${KNOWN_SUPERLINEAR.length - missed.length} of ${KNOWN_SUPERLINEAR.length}${missed.map((each) => `, not ${each}`).join('')}`,
        holds: missed.length === 0,
      },
    ],
    blocks: [
      {
        text: [
          'Every literal in `functions`, `lib/admin` and `lib/local/gateway`, found in their syntax trees, every `pattern` of the',
          "endpoint table's schemas, and those of the body parser; not those inside the AWS SDK, which see what DynamoDB answers. Each searches texts of 12 to",
          `${bounds.largest} characters for all its matches: each of its own characters repeated, and ${bounds.attacks} texts made of parts of`,
          `what it matches (fast-check, seed ${SEED}). The exponent is the slope of the logarithms of time over size, of the shortest of`,
          'several times; where it is in doubt, it is measured again, with larger texts too. The slowest:',
        ].join(' '),
      },
      {
        table: {
          head: ['expression', 'in', 'exponent', 'ms', 'characters'],
          rows: judged
            .toSorted((a, b) => b.slowest.milliseconds - a.slowest.milliseconds)
            .slice(0, SHOWN)
            .map((each) => [
              code(String(each.pattern)),
              each.file,
              each.steepest.exponent.toFixed(2),
              each.slowest.milliseconds.toFixed(2),
              each.slowest.size,
            ]),
        },
      },
    ],
  };
};
export default run;
