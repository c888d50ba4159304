/**
 * `npm run test:orders`: the pairs of the gate; with `-- --all` every pair, otherwise those that are named. Prints the figures of
 * each pair, and for a finding the calls that lead to it.
 */
import { judgeOf } from './judge.ts';
import type { Pair } from './operation.ts';
import { gate, nameOf, pairs } from './pairs.ts';
import { sideOf } from './run-side.ts';
import { type Figures, search } from './search.ts';
import { SIDES } from './steps.ts';
import { storedIn } from './stored-content.ts';

const searchPair = async (pair: Pair): Promise<Figures> => {
  const { sides, initial } = pair;
  const runners = await Array.fromAsync(sides, ({ requests }, side) => sideOf(SIDES[side] ?? '', requests));
  const figures = await search({
    initial,
    sides: runners,
    inOrder: sides.map(({ inOrder = false }) => inOrder),
    gather: (side, gathered, stored) => sides[side]?.reading?.gather(gathered, storedIn(stored)) ?? null,
    judge: judgeOf(pair),
  });
  for (const { end } of runners) await end();
  return figures;
};

/** @throws Error when a name is that of no pair */
const pairsNamed = (names: readonly string[]): readonly Pair[] =>
  names.map((name) => {
    const found = pairs.find((pair) => nameOf(pair) === name);
    if (found === undefined)
      throw new Error(`there is no pair "${name}"; --all runs every pair and prints their names`);
    return found;
  });

const WIDTHS = [12, 8, 8, 9, 8];
const line = (name: string, figures: readonly unknown[]): string =>
  `${figures.map((figure, at) => String(figure).padStart(WIDTHS[at] ?? 0)).join('')}  ${name}\n`;

const given = process.argv.slice(2);
const chosen = given.includes('--all') ? pairs : pairsNamed(given.length > 0 ? given : gate);
const total = { orders: 0, states: 0, crashes: 0, findings: 0 };
process.stdout.write(line('pair', ['orders', 'states', 'crashes', 'findings', 'seconds']));
for (const pair of chosen) {
  const start = process.hrtime.bigint();
  const { orders, states, crashes, finding } = await searchPair(pair);
  const seconds = Number((process.hrtime.bigint() - start) / 1_000_000n) / 1_000;
  process.stdout.write(line(nameOf(pair), [orders, states, crashes, finding ? 1 : 0, seconds.toFixed(1)]));
  if (finding) process.stdout.write(`${finding.what}\n${finding.order.map((step) => `    ${step}\n`).join('')}`);
  total.orders += orders;
  total.states += states;
  total.crashes += crashes;
  total.findings += finding ? 1 : 0;
}
const { orders, states, crashes, findings } = total;
const seconds = (performance.now() / 1_000).toFixed(1);
process.stdout.write(line(`all ${chosen.length} pairs`, [orders, states, crashes, findings, seconds]));
if (findings > 0) process.exitCode = 1;
