/**
 * `npm run test:orders`: the pairs of the gate; with `-- --all` every pair, otherwise those that are named. Prints the figures of
 * each pair, and for a finding the calls that lead to it.
 */
import { gate, nameOf, pairs } from './pairs.ts';
import { search } from './search.ts';

const line = (name: string, ...figures: readonly unknown[]): void =>
  void process.stdout.write(`${figures.map((figure) => String(figure).padStart(11)).join('')}  ${name}\n`);

const given = process.argv.slice(2);
const names = given.length > 0 ? given : gate;
const chosen = given.includes('--all') ? pairs : pairs.filter((pair) => names.includes(nameOf(pair)));
const unknown = names.filter((name) => name !== '--all' && !pairs.some((pair) => nameOf(pair) === name));
if (unknown.length > 0)
  throw new Error(`there is no pair "${unknown.join('", "')}"; --all runs every pair and prints their names`);

const seconds = (): number => performance.now() / 1_000;
const total = { orders: 0, states: 0, crashes: 0, findings: 0 };
line('pair', 'orders', 'states', 'crashes', 'findings', 'seconds');
for (const pair of chosen) {
  const start = seconds();
  const { orders, states, crashes, finding } = await search(pair);
  const findings = finding ? 1 : 0;
  line(nameOf(pair), orders, states, crashes, findings, (seconds() - start).toFixed(1));
  if (finding) process.stdout.write(`${finding.what}\n${finding.order.map((step) => `    ${step}\n`).join('')}`);
  total.orders += orders;
  total.states += states;
  total.crashes += crashes;
  total.findings += findings;
}
line(`all ${chosen.length} pairs`, ...Object.values(total), seconds().toFixed(1));
if (total.findings > 0) process.exitCode = 1;
