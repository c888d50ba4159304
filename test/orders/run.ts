/**
 * `npm run test:orders`: the pairs of the gate; with `-- --all` every pair, otherwise those that are named. Prints the
 * figures of each pair, and for a finding the calls that lead to it.
 */
import { readCommandLine } from '../../core/runtime/command-line.ts';
import { contentPairs } from './content.ts';
import { keyPairs } from './keys.ts';
import type { Pair } from './operation.ts';
import { recordPairs } from './records.ts';
import { search } from './search.ts';

const given = readCommandLine(
  `Usage: npm run test:orders [-- --all | PAIR…]
Runs the pairs of the gate, every pair, or those that are named, in every order of their database calls.
--all prints the names of the pairs.`,
  (argument) => argument === '--all' || !argument.startsWith('-'),
);

const pairs: readonly Pair[] = [...contentPairs, ...keyPairs, ...recordPairs];

const nameOf = ({ sides }: Pair): string => sides.map(({ name }) => name).join(' beside ');

/** The most telling pairs, by their names. */
const gate: readonly string[] = [
  'create with a slug beside rename',
  'create with an Idempotency-Key beside create with the key and another body',
  'move beside delete',
  'list last page beside create, then delete another',
  'list only page beside move and return',
  'list of the other domain beside move and return',
  'list by slug beside rename',
  'walk of a domain beside create and delete',
  'walk of all beside move and return',
  'create with a slug beside import of a slug',
  'keys rotate beside keys revoke',
  'complete import without it beside complete import of another',
  'complete import without it beside import --if-newer',
  'import of another file beside remove',
  'import of acme beside complete import of zeta',
  'import of acme beside remove',
  'erase beside complete import of another',
  'erase beside import of acme',
  'erase beside remove',
  'erase beside lookup of compliance',
];

const line = (name: string, ...figures: readonly unknown[]): void =>
  void process.stdout.write(`${figures.map((figure) => String(figure).padStart(11)).join('')}  ${name}\n`);

const names = given.length > 0 ? given : gate;
const chosen = given.includes('--all') ? pairs : pairs.filter((pair) => names.includes(nameOf(pair)));
const unknown = names.filter((name) => name !== '--all' && !pairs.some((pair) => nameOf(pair) === name));
if (unknown.length > 0) {
  process.stderr.write(
    `error: there is no pair "${unknown.join('", "')}"; --all runs every pair and prints their names\n`,
  );
  process.exit(2);
}

const seconds = (): number => performance.now() / 1_000;
const total = { schedules: 0, states: 0, crashes: 0, findings: 0 };
line('pair', 'schedules', 'states', 'crashes', 'findings', 'seconds');
for (const pair of chosen) {
  const start = seconds();
  const { schedules, states, crashes, finding } = await search(pair);
  const findings = finding ? 1 : 0;
  line(nameOf(pair), schedules, states, crashes, findings, (seconds() - start).toFixed(1));
  if (finding) process.stdout.write(`${finding.what}\n${finding.schedule.map((step) => `    ${step}\n`).join('')}`);
  total.schedules += schedules;
  total.states += states;
  total.crashes += crashes;
  total.findings += findings;
}
line(`all ${chosen.length} pairs`, ...Object.values(total), seconds().toFixed(1));
if (total.findings > 0) process.exitCode = 1;
