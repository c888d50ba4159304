/** Whoever changes a figure of a default plan changes it in `core/access/plans.ts`, and no text says another one. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { DEFAULT_PLANS, MAX_BULK_SIZE, type Plan } from '../../../core/access/plans.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** A figure as texts and code write it. */
const written = (figure: number) => String(figure).replace(/\B(?=(\d{3})+$)/g, '[,_]?');
const anyOf = (figures: readonly number[]) => `(?<![\\w.,])(?:${figures.map(written).join('|')})(?![\\w.,]?\\d)`;

/** The statements of a text about figures of plans, by what is beside them. */
const statements = (text: string): string[] => {
  const limits = Object.values(DEFAULT_PLANS).map(({ requestsPerWindow }) => requestsPerWindow);
  const sizes = Object.values(DEFAULT_PLANS).map(({ bulkSize }) => bulkSize);
  const forms = [
    `${anyOf(limits)} requests (?:in a window|a minute|per window|in 60 s)`,
    `${anyOf(sizes.filter((size) => size < MAX_BULK_SIZE))} (?:registrations|in (?:a|one) (?:bulk )?request)`,
    `depends on the plan: [^.]*${anyOf(sizes)}`,
    ...Object.entries(DEFAULT_PLANS).map(([plan, of]) => `\\b${plan}\\b[^\\n.]{0,30}${anyOf(Object.values(of))}`),
  ];
  return forms.flatMap((form) => text.match(new RegExp(form, 'g')) ?? []);
};

it.each(Object.entries(DEFAULT_PLANS))('The guide has the figures of the plan %s in its table', (name, plan) => {
  const figures = [plan.requestsPerWindow, plan.bulkSize].map((figure) => figure.toLocaleString('en-GB'));
  expect(read('docs/integration.md')).toContain(`\n| \`${name}\` | ${figures.join(' | ')} |\n`);
});

it('No other document, README, page or program has a figure of a plan', () => {
  const OTHERS = /^core\/access\/plans\.ts|docs\/(?:changelog|performance|reliability|testing)\.md|api-types\.ts$/;
  const paths = globSync(
    [
      '*.md',
      'client/*.md',
      'docs/*.md',
      'site/*.md',
      '{admin,bin,client/src,core,csv,functions,lib,local,openapi}/**/*.ts',
    ],
    {
      cwd: root.pathname,
    },
  );
  const texts = paths.filter((path) => !OTHERS.test(path));
  const TABLE = /^\| Plan \|.*\n(?:\|.*\n)+/m;
  expect(texts.length).toBeGreaterThan(200);
  expect(texts.flatMap((path) => statements(read(path).replace(TABLE, '')).map((said) => `${path}: ${said}`))).toEqual(
    [],
  );
});

it('The client sends at once what the smallest plan allows, and says how long a large file takes', () => {
  const smallest = Math.min(...Object.values(DEFAULT_PLANS).map(({ bulkSize }) => bulkSize));
  expect(read('client/src/bulk.ts')).toContain(`SMALLEST_BULK_SIZE = ${smallest};`);
  const requests = (plan: Plan) => Math.ceil(100_000 / plan.bulkSize);
  const minutes = Math.ceil(requests(DEFAULT_PLANS.free) / DEFAULT_PLANS.free.requestsPerWindow);
  for (const path of ['client/README.md', 'client/src/command-line/arguments.ts']) {
    const [, premium, free] = /100,000\s+vehicles are (\S+) requests\s.*?take\s(\d+)\sminutes/s.exec(read(path)) ?? [];
    expect({ path, premium, free }).toEqual({
      path,
      premium: String(requests(DEFAULT_PLANS.premium)),
      free: String(minutes),
    });
  }
});
