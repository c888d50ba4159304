import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contentTable } from '../../core/content/content-table.ts';
import type { ContentItem } from '../../core/content/item.ts';
import type { ProblemCode } from '../../core/problems.ts';
import { checkContent } from '../../lib/content-maintenance/content-check.ts';
import { moment, someFields } from '../support/content.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';

const DOMAINS = ['a.example', 'b.example', 'c.example'] as const;
const CLIENTS = 3;

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const domain = fc.constantFrom(...DOMAINS);
const slug = fc.integer({ min: 0, max: 3 }).map((number) => `s${number}`);
const target = fc.nat();
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), domain, slug }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), target, domain, slug }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retitle' as const), target }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), target }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** What each client does in a round; the clients of a round run at the same time. */
const rounds = fc.array(fc.tuple(...Array.from({ length: CLIENTS }, () => fc.array(operation, { maxLength: 4 }))), {
  minLength: 1,
  maxLength: 6,
});

/** The expected items. Each client changes its own items and slugs; all clients share the lists. */
interface Known {
  item: ContentItem;
  readonly client: number;
  /** The round in which the item joined its domain's list. */
  joined: number;
}

const apiErrorOf = (code: ProblemCode) => ({ name: 'ApiError', code });

const table = () => contentTable(engine.client, engine.names.content, 'live');

/** Applies one operation to the model and to the table, and compares the outcomes. */
const perform = async (model: Known[], client: number, round: number, step: Operation): Promise<void> => {
  const mine = model.filter((known) => known.client === client);
  const holds = (wanted: { domain: string; slug: string }, except?: Known) =>
    model.some((known) => known !== except && known.item.domain === wanted.domain && known.item.slug === wanted.slug);
  if (step.kind === 'create') {
    const fields = someFields(step.domain, `client-${client}-${step.slug}`);
    if (holds(fields))
      return expect(table().create(fields, undefined, moment())).rejects.toMatchObject(apiErrorOf('SLUG_TAKEN'));
    const item = await table().create(fields, undefined, moment());
    model.push({ item, client, joined: round });
    return undefined;
  }
  const known = mine[step.target % Math.max(1, mine.length)];
  if (known === undefined) return undefined;
  const { id } = known.item;
  if (step.kind === 'remove') {
    await table().remove(id, undefined, moment());
    model.splice(model.indexOf(known), 1);
    return expect(table().remove(id, undefined, moment())).rejects.toMatchObject(apiErrorOf('CONTENT_NOT_FOUND'));
  }
  const changes =
    step.kind === 'retitle'
      ? { title: `Round ${round}` }
      : { domain: step.domain, slug: `client-${client}-${step.slug}` };
  if (holds({ ...known.item, ...changes }, known)) {
    return expect(table().update(id, changes, undefined, moment())).rejects.toMatchObject(apiErrorOf('SLUG_TAKEN'));
  }
  const before = known.item;
  known.item = await table().update(id, changes, `"${before.version}"`, moment());
  if (known.item.domain !== before.domain) known.joined = round;
  return undefined;
};

const listAll = async (filter: { domain?: string }): Promise<ContentItem[]> => {
  const items: ContentItem[] = [];
  for (;;) {
    const page = await table().list(filter, { offset: items.length, limit: 3 }, moment().deadline);
    items.push(...page.items);
    if (page.items.length === 0) {
      expect(page.total).toBe(items.length);
      return items;
    }
  }
};

const byId = (items: readonly ContentItem[]) => items.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** Every list has exactly the model's items, those of later rounds first. */
const compare = async (model: readonly Known[]): Promise<void> => {
  expect(byId(await listAll({}))).toEqual(byId(model.map(({ item }) => item)));
  for (const name of DOMAINS) {
    const members = model.filter(({ item }) => item.domain === name);
    const listed = await listAll({ domain: name });
    expect(byId(listed)).toEqual(byId(members.map(({ item }) => item)));
    const joined = listed.map(({ id }) => members.find(({ item }) => item.id === id)?.joined ?? -1);
    expect(joined).toEqual(joined.toSorted((a, b) => b - a));
  }
};

describe('Content under random concurrent changes', () => {
  it('matches a plain array after every round, and the consistency check finds nothing', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (history) => {
        const model: Known[] = [];
        for (const [round, clients] of history.entries()) {
          await Promise.all(
            clients.map(async (steps, client) => {
              for (const step of steps) await perform(model, client, round, step);
            }),
          );
          await compare(model);
        }
        const report = await checkContent(engine.client, engine.names.content);
        expect(report).toMatchObject({ items: model.length, inconsistencies: [], busy: [] });
        for (const { item } of model) await table().remove(item.id, undefined, moment());
      }),
      { numRuns: 12 },
    );
  });
});
