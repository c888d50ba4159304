/** Looks a list up, one registration on each line, and counts the outcomes: `node fleet.ts fleet.txt` */
import { readFileSync } from 'node:fs';
import { client } from './client.ts';

const [file = ''] = process.argv.slice(2);
const fleet = readFileSync(file, 'utf8').split(/\r?\n/).filter(Boolean);
const counts: Record<string, number> = {};
// Splits the list by the size that the plan allows, and asks again for what could not be read.
for (const entry of await client.verify(fleet)) {
  const outcome = 'code' in entry ? entry.code : entry.insured ? 'insured' : 'not insured';
  counts[outcome] = (counts[outcome] ?? 0) + 1;
}
for (const [outcome, count] of Object.entries(counts)) console.log(count, outcome);
