/**
 * Proves what README promises for bad days, and writes docs/reliability.md: `npm run test:faults` runs the quick half,
 * `npm run test:faults:long` the long one. Names of proofs after `--` choose some. Exits with 1 when a promise does not hold.
 */
import { fileURLToPath } from 'node:url';
import type { Section } from '../../tools/report/report.ts';
import { chosen, runSections } from '../../tools/report/run.ts';
import { brokenIn } from '../../tools/report/verdict.ts';

/** The proofs in `proofs/`, each a file of the same name. */
const PROOFS: Readonly<Record<string, string>> = {
  matrix: 'Every fault on every endpoint',
  limit: 'The limit under faults, in four processes',
  'clock-skew': 'The limit between clocks that disagree',
  content: 'Content under faults',
  'content-check': 'Checks and repairs of content beside traffic',
  'killed-imports': 'Imports that are killed and resumed',
  'fuzzed-requests': 'Fuzzed requests',
  'malformed-events': 'Malformed gateway events',
  'regular-expressions': 'Regular expressions take linear time',
  soak: 'A steady load',
  canaries: 'Nothing personal in any log',
};
const HALVES = ['quick', 'long'] as const;

const sectionOf = (name: string, half: (typeof HALVES)[number]): Section => ({
  id: `${name}-${half}`,
  title: `${PROOFS[name]} (${half})`,
  module: new URL(`./proofs/${name}.ts`, import.meta.url),
  size: half,
});

const [size, ...names] = process.argv.slice(2);
const half = HALVES.find((name) => name === size);
if (half === undefined) throw new Error(`say which half: ${HALVES.join(' or ')}`);
const sections = Object.keys(PROOFS).map((name) => sectionOf(name, half));
const outcomes = await runSections(
  chosen(
    sections,
    names.map((name) => `${name}-${half}`),
  ),
  {
    file: fileURLToPath(new URL('../../docs/reliability.md', import.meta.url)),
    title: 'Reliability',
    introduction: [
      'What the service does when its database, its network or its callers misbehave. Every figure here was counted or',
      'measured by the commands below; `npm run test:faults` (under five minutes) is part of the gate, the long half is',
      'the same proofs at full size. Faults are injected by a proxy between the SDK and the embedded engine',
      '(`test/support/fault-proxy.ts`).',
      '',
      '```sh',
      'npm run test:faults',
      'npm run test:faults:long',
      'npm run test:faults -- limit content',
      '```',
    ].join('\n'),
    order: Object.keys(PROOFS).flatMap((name) => HALVES.map((each) => `${name}-${each}`)),
  },
);
const broken = brokenIn(outcomes);
const promises = outcomes.reduce((sum, { findings }) => sum + findings.length, 0);
const seconds = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
process.stdout.write(
  `\n${outcomes.length} proofs, ${promises} promises, ${broken.length} of them broken, ${seconds} s\n`,
);
if (broken.length > 0) process.exitCode = 1;
