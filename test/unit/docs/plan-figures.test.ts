/** Figures that follow from the default plans (`core/access/plans.ts`). */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { DEFAULT_PLANS } from '../../../core/access/plans.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

it.each(Object.entries(DEFAULT_PLANS))('The guide has the figures of the plan %s in its table', (name, plan) => {
  const figures = [plan.requestsPerWindow, plan.bulkSize].map((figure) => figure.toLocaleString('en-GB'));
  expect(read('docs/integration.md')).toContain(`\n| \`${name}\` | ${figures.join(' | ')} |\n`);
});

it('The client sends at once what the smallest plan allows', () => {
  const smallest = Math.min(...Object.values(DEFAULT_PLANS).map(({ bulkSize }) => bulkSize));
  expect(read('client/src/bulk.ts')).toContain(`SMALLEST_BULK_SIZE = ${smallest};`);
});
