import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { contentTable } from '../../../../core/content/content-table.ts';
import { deadlineIn } from '../../../../core/runtime/deadline.ts';
import { ITEM_IDS, itemLine } from '../../../support/import-files.ts';
import { NOW, useAdmin } from '../../../support/use-admin.ts';

const { file, run, countedRun, proxy, engine, rejectedLines } = useAdmin();

const table = () => contentTable(engine().client, engine().names.content, 'live');
const list = (domain: string, slug?: string) =>
  table().list({ domain, ...(slug && { slug }), offset: 0, limit: 100 }, deadlineIn(5_000));
const later = { now: new Date(NOW.getTime() + 86_400_000) };
const loadLines = async (lines: readonly string[], options = {}, name = 'c.ndjson') => {
  const path = await file(name, lines.join('\n'));
  return { ...(await run(['import', 'content', path], options)), path };
};
/** The reasons of each rejected row behind its line. */
const reasonsOf = async (path: string) => (await rejectedLines(path)).map(({ line, reasons }) => [line, ...reasons]);
const [ID, ID_2, ID_3] = ITEM_IDS;
const TAKEN = 'slug: belongs to another item of this domain; a row that frees it must come before';

describe('import content', () => {
  it('creates items with what each row has of ids, timestamps and versions, and changes nothing the second time', async () => {
    const stamps = { created_at: '2025-01-01T00:00:00.000Z', updated_at: '2025-02-01T00:00:00.000Z' };
    const some = [{ id: ID, meta_description: 'm', ...stamps, version: 7 }, {}, { id: ID_2, version: 3 }, stamps];
    const lines = some.map((fields, nth) => itemLine(`s${nth}`, { domain: 'b.example', ...fields }));
    await loadLines(lines);
    const first = await list('b.example');
    expect(first.items.toSorted((a, b) => (a.slug < b.slug ? -1 : 1))).toMatchObject(some);
    expect(await loadLines(lines, later)).toMatchObject({ exitCode: 0 });
    expect(await list('b.example')).toEqual(first);
  });

  it.each(['', 'a'])('keeps characters of two bytes where the file is read in parts, after "%s"', async (start) => {
    const content = start + 'ü'.repeat(40_000);
    await loadLines([itemLine('long', { domain: `long${start}.example`, content })]);
    const { items } = await list(`long${start}.example`);
    expect(items.map((item) => item.content === content)).toEqual([true]);
  });

  it('gives new items without `created_at` the order of their rows, the last one newest', async () => {
    const slugs = Array.from({ length: 40 }, (_, nth) => `s${nth}`);
    await loadLines(slugs.map((slug) => itemLine(slug, { domain: 'order.example' })));
    expect((await list('order.example')).items.map(({ slug }) => slug)).toEqual(slugs.toReversed());
  });

  it('moves a slug to an item whose row comes later, and otherwise rejects it and says what must come before', async () => {
    const lines = (slugs: string) =>
      ITEM_IDS.map((id, nth) => itemLine(slugs.charAt(nth), { domain: 'chain.example', id }));
    await loadLines(lines('abc'));
    const slugs = async () => (await list('chain.example')).items.map(({ id, slug }) => id.at(-1) + slug).toSorted();
    const { path } = await loadLines(lines('bcd'));
    expect(await reasonsOf(path)).toEqual([1, 2].map((line) => [line, TAKEN]));
    expect(await slugs()).toEqual(['1a', '2b', '3d']);
    expect(await loadLines(lines('bcd').toReversed())).toMatchObject({ exitCode: 0 });
    expect(await slugs()).toEqual(['1b', '2c', '3d']);
  });

  it('creates a new item with a slug that an earlier row of the file has freed', async () => {
    await loadLines([itemLine('old', { domain: 'freed.example', id: ID })]);
    const rows = [itemLine('new', { domain: 'freed.example', id: ID }), itemLine('old', { domain: 'freed.example' })];
    expect(await loadLines(rows)).toMatchObject({ exitCode: 0 });
    expect((await list('freed.example', 'new')).items).toMatchObject([{ id: ID }]);
    expect((await list('freed.example', 'old')).items).toMatchObject([{ id: expect.not.stringContaining(ID) }]);
  });

  // At 10 ms a transaction, 1,000 rows take about 3 s.
  it('sends one transaction for each row that changes, four at the same time, and two reads for 50 rows', async () => {
    const lines = Array.from({ length: 100 }, (_, nth) => itemLine(`s${nth}`, { domain: 'count.example' }));
    const path = await file('c.ndjson', lines.join('\n'));
    const count = async () => {
      proxy().reset();
      await countedRun(['import', 'content', path]);
      const operations = proxy().calls.map(({ operation }) => operation);
      return ['TransactWriteItems', 'BatchGetItem'].map((name) => operations.filter((one) => one === name).length);
    };
    expect(await count()).toEqual([100, 2]);
    expect(await count()).toEqual([0, 4]);
    await writeFile(path, lines.join('\n').replaceAll('"T"', '"U"'));
    let hanging = 0;
    proxy().inject(({ operation }) => {
      if (operation !== 'TransactWriteItems') return undefined;
      hanging += 1;
      return hanging <= 5 ? 'hang' : undefined;
    });
    await countedRun(['import', 'content', path]);
    const changes = proxy().calls.filter(({ operation }) => operation === 'TransactWriteItems');
    // None of the first four is answered, so the fifth request repeats one of them.
    expect(new Set(changes.slice(0, 5).map(({ body }) => JSON.parse(body).ClientRequestToken)).size).toBe(4);
  });

  it('never decreases a version, so that no concurrent change is overwritten', async () => {
    const line = itemLine('s', { domain: 'f.example', id: '21111111-2222-4333-8444-555555555551', version: 2 });
    await loadLines([line]);
    const { items } = await list('f.example');
    await table().update(items[0]?.id ?? '', { title: 'U' }, {}, { now: NOW, deadline: deadlineIn(5_000) });
    await loadLines([line], later);
    expect((await list('f.example')).items).toMatchObject([{ title: 'T', version: 4 }]);
  });

  it('updates the item of a domain and slug, and never decreases an `updated_at` that the file lacks', async () => {
    const row = (fields: object = {}) => [itemLine('late', { domain: 'K.example', ...fields })];
    await loadLines(row());
    await loadLines(row({ title: 'S' }), later);
    await loadLines(row({ title: 'U' }));
    const stamps = { created_at: NOW.toISOString(), updated_at: later.now.toISOString() };
    expect((await list('k.example')).items).toMatchObject([{ title: 'U', version: 3, ...stamps }]);
    const ahead = '2030-01-01T00:00:00.000Z';
    await loadLines(row({ created_at: ahead }));
    expect((await list('k.example')).items).toMatchObject([{ title: 'T', created_at: ahead, updated_at: ahead }]);
  });

  it('rejects a slug that another item has, and a second row of an item, however it is named', async () => {
    await loadLines([itemLine('s', { domain: 'g.example' }), itemLine('old', { domain: 'g.example', id: ID })]);
    const lines = [
      itemLine('s', { domain: 'g.example', id: ID_3 }),
      itemLine('s', { domain: 'G.example' }),
      itemLine('old', { domain: 'g.example', title: 'U' }),
      itemLine('new', { domain: 'g.example', id: ID }),
    ];
    const { path } = await loadLines(lines);
    expect(await reasonsOf(path)).toEqual([
      [1, TAKEN],
      [2, expect.stringContaining('is on line 1 too')],
      [3, expect.stringContaining('this item is on line 4 too')],
    ]);
    expect((await list('g.example', 'new')).items).toMatchObject([{ id: ID, title: 'T' }]);
  });

  it('stores no `updated_at` before the `created_at` that the row lacks: its own export would be rejected', async () => {
    const row = (fields: object = {}) => itemLine('times', { domain: 'l.example', id: ID_3, ...fields });
    await loadLines([row()]);
    await loadLines([row({ title: 'U', updated_at: '2020-01-01T00:00:00Z' })]);
    const [item] = (await list('l.example')).items;
    expect(Date.parse(item?.updated_at ?? '')).toBeGreaterThanOrEqual(Date.parse(item?.created_at ?? ''));
  });

  it('rejects a version after which there is no next one, with which no request could change the item', async () => {
    const row = (fields: object = {}) => itemLine('version', { domain: 'm.example', ...fields });
    await loadLines([row({ version: Number.MAX_SAFE_INTEGER })]);
    const { exitCode, stderr } = await loadLines([row({ title: 'U' })]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  it.each(['throttle', 'error'] as const)('goes on when a read of an item fails for a while: %s', async (fault) => {
    const row = (title: string) => itemLine('reads', { domain: `${fault}.example`, title });
    await loadLines([row('T')]);
    let failed = 0;
    proxy().inject(({ operation }) => {
      failed += operation === 'GetItem' ? 1 : 0;
      return operation === 'GetItem' && failed <= 4 ? fault : undefined;
    });
    const result = await countedRun(['import', 'content', await file('c.ndjson', row('U'))]);
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('rejects what a request to create would be rejected for, with every issue', async () => {
    const wrong = { title: ' ', content: undefined, extra: 1, id: 'X', version: 0, created_at: 'now' };
    const lines = [itemLine('Bad Slug', wrong), itemLine('s', { content: 'x'.repeat(100_001) })];
    const { path } = await loadLines(lines);
    const rejected = await rejectedLines(path);
    const fields = rejected.map(({ reasons }) => reasons.map((one) => one.split(':')[0]).toSorted());
    expect(fields).toEqual([['content', 'created_at', 'extra', 'id', 'slug', 'title', 'version'], ['content']]);
    expect(rejected[0]?.reasons).toContain('version: must be a whole number from 1 to 1,000,000,000,000');
  });

  it('reads a CSV whose optional columns may be blank or missing', async () => {
    const rows = ['title,content,domain,slug,version', 'T,"a,\nb",i.example,one,', 'T,c,i.example,two,5'];
    expect(await loadLines(rows, {}, 'c.csv')).toMatchObject({ exitCode: 0 });
    expect((await list('i.example', 'one')).items).toMatchObject([{ content: 'a,\nb', version: 1 }]);
    expect((await list('i.example', 'two')).items).toMatchObject([{ version: 5, meta_description: '' }]);
  });
});

it('A row of content that is the header again, as where two files were put together, is rejected', async () => {
  const header = 'title,content,domain,slug';
  const { path } = await loadLines([header, 'T,C,joined.example,one', header, 'T,C,joined.example,two'], {}, 'j.csv');
  expect(await reasonsOf(path)).toEqual([[3, 'the row names the columns again']]);
  expect((await list('joined.example')).items).toHaveLength(2);
});

it('A corrected file of rejected content has the blanks at the end of a quoted cell', async () => {
  const { path } = await loadLines(['title,content,domain,slug', 'T,"two blanks  ",n.example,Wrong'], {}, 'blanks.csv');
  const rejected = `${path}.rejected.csv`;
  await writeFile(rejected, (await readFile(rejected, 'utf8')).replace('Wrong', 'right'));
  expect(await run(['import', 'content', rejected])).toMatchObject({ exitCode: 0 });
  expect((await list('n.example')).items).toMatchObject([{ content: 'two blanks  ' }]);
});
