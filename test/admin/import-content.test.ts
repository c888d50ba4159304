import { describe, expect, it } from '@jest/globals';
import { contentTable } from '../../core/content/content-table.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { type CommandOptions, commandLine, NOW } from './command-line.ts';
import { ITEM_IDS } from './import-files.ts';

const { load, engine, rejectedLines } = commandLine();

const table = () => contentTable(engine().client, engine().names.content, 'live');
const list = (domain: string, slug?: string) =>
  table().list({ domain, ...(slug && { slug }) }, { offset: 0, limit: 100 }, deadlineIn(5_000));
const loadItems = (items: readonly object[], options?: CommandOptions) =>
  load('content', 'c.ndjson', items.map((item) => JSON.stringify(item)).join('\n'), options);
const item = (domain: string, slug: string, fields: object = {}) => ({
  title: 'T',
  content: 'C',
  domain,
  slug,
  ...fields,
});
const later = { now: new Date(NOW.getTime() + 86_400_000) };
const [ID, ID_2, ID_3] = ITEM_IDS;

describe('import content', () => {
  it('creates an item by domain and slug, then updates that one', async () => {
    const row = { title: 'One', content: 'Body', domain: 'A.example', slug: 'one' };
    expect(await loadItems([row])).toMatchObject({ exitCode: 0, stderr: '' });
    const [created] = (await list('a.example')).items;
    const stamp = NOW.toISOString();
    const fields = { ...row, domain: 'a.example', meta_description: '', created_at: stamp };
    expect(created).toEqual({ id: expect.any(String), ...fields, updated_at: stamp, version: 1 });
    await loadItems([{ ...row, title: 'Uno' }], later);
    const updated = { ...created, title: 'Uno', version: 2, updated_at: later.now.toISOString() };
    expect(await list('a.example')).toEqual({ items: [updated], total: 1 });
  });

  it('creates items with the ids, timestamps and versions of the file, and changes nothing the second time', async () => {
    const stamps = { created_at: '2025-01-01T00:00:00.000Z', updated_at: '2025-02-01T00:00:00.000Z' };
    const whole = item('b.example', 's', { id: ID, meta_description: 'm', ...stamps, version: 7 });
    const items = [
      whole,
      item('b.example', 'x'),
      item('b.example', 'y', { id: ID_2, version: 3 }),
      item('b.example', 'z', { updated_at: '2025-01-01T00:00:00Z' }),
    ];
    await loadItems(items);
    const first = await list('b.example');
    expect(first).toMatchObject({ total: 4, items: expect.arrayContaining([whole]) });
    expect(await loadItems(items, later)).toMatchObject({ exitCode: 0 });
    expect(await list('b.example')).toEqual(first);
  });

  it('moves a slug from item to item, in any order of the rows', async () => {
    const rows = (slugs: string) => ITEM_IDS.map((id, index) => item('chain.example', slugs.charAt(index), { id }));
    await loadItems(rows('abc'));
    expect((await loadItems(rows('bcd'))).exitCode).toBe(0);
    const slugs = (await list('chain.example')).items.map(({ id, slug }) => id.at(-1) + slug);
    expect(slugs.toSorted()).toEqual(['1b', '2c', '3d']);
  });

  it('moves an item with an id to another domain and slug, with its lists and slugs', async () => {
    await loadItems([item('d.example', 'here', { id: ID })]);
    await loadItems([item('e.example', 'there', { id: ID })], later);
    expect(await list('d.example')).toEqual({ items: [], total: 0 });
    expect(await list('d.example', 'here')).toEqual({ items: [], total: 0 });
    const { items } = await list('e.example');
    expect(items).toMatchObject([{ id: ID, slug: 'there' }]);
    expect(await list('e.example', 'there')).toEqual({ items, total: 1 });
  });

  it('never decreases a version, so that no concurrent change is overwritten', async () => {
    const row = item('f.example', 's', { id: '21111111-2222-4333-8444-555555555551', version: 2 });
    await loadItems([row]);
    const { items } = await list('f.example');
    await table().update(items[0]?.id ?? '', { title: 'U' }, undefined, { now: NOW, deadline: deadlineIn(5_000) });
    await loadItems([row], later);
    expect((await list('f.example')).items).toMatchObject([{ title: 'T', version: 4 }]);
  });

  it('never decreases an `updated_at` that the file lacks, even when the clock is behind or `created_at` is later', async () => {
    const row = item('k.example', 'late');
    await table().create({ ...row, meta_description: '' }, undefined, { ...later, deadline: deadlineIn(5_000) });
    await loadItems([{ ...row, title: 'U' }]);
    const stamp = later.now.toISOString();
    const updated = { title: 'U', version: 2, created_at: stamp, updated_at: stamp };
    expect((await list('k.example')).items).toMatchObject([updated]);
    const ahead = '2030-01-01T00:00:00.000Z';
    await loadItems([{ ...row, created_at: ahead }]);
    const changed = (await list('k.example')).items;
    expect(changed).toMatchObject([{ title: 'T', created_at: ahead, updated_at: ahead }]);
    expect(await loadItems(changed)).toMatchObject({ exitCode: 0 });
  });

  it('rejects a slug that another item has, and a second row of an item', async () => {
    await loadItems([item('g.example', 's')]);
    const { path, exitCode } = await loadItems([item('g.example', 's', { id: ID_3 }), item('G.example', 's')]);
    expect(exitCode).toBe(1);
    const rejected = (await rejectedLines(path)).map(({ line, reasons }) => [line, ...reasons]);
    expect(rejected.toSorted()).toEqual([
      [1, 'slug: belongs to another item of this domain'],
      [2, expect.stringContaining('is on line 1 already')],
    ]);
  });

  it('rejects a second row of an item that the first one names by its slug', async () => {
    await loadItems([item('l.example', 'old', { id: ID })]);
    const rows = [item('l.example', 'old', { title: 'U' }), item('l.example', 'new', { id: ID })];
    const { exitCode, path } = await loadItems(rows);
    expect(exitCode).toBe(1);
    const reasons = [expect.stringContaining('this item is on line 1 already')];
    expect(await rejectedLines(path)).toMatchObject([{ line: 2, reasons }]);
    const { items } = await list('l.example');
    expect(items).toMatchObject([{ id: ID, slug: 'old', title: 'U' }]);
    await loadItems(rows, later);
    expect((await list('l.example')).items).toEqual(items);
  });

  it('creates a new item for the slug that an earlier row takes from another item', async () => {
    await loadItems([item('m.example', 'old', { id: ID })]);
    const rows = [item('m.example', 'new', { id: ID }), item('m.example', 'old')];
    expect(await loadItems(rows)).toMatchObject({ exitCode: 0 });
    const loaded = await list('m.example');
    const [created, moved] = loaded.items;
    expect([created, moved]).toMatchObject([
      { slug: 'old', version: 1 },
      { id: ID, slug: 'new' },
    ]);
    await loadItems(rows, later);
    expect(await list('m.example')).toEqual(loaded);
  });

  it('rejects what a request to create would be rejected for, with every issue', async () => {
    const { path } = await loadItems([
      { title: ' ', slug: 'Bad Slug', domain: 'h.example', extra: 1, id: 'X', version: 0, created_at: 'now' },
      item('h.example', 's', { content: 'x'.repeat(100_001) }),
    ]);
    const rejected = await rejectedLines(path);
    const fields = rejected.map(({ reasons }) => reasons.map((reason) => reason.split(':')[0]).sort());
    expect(fields).toEqual([['content', 'created_at', 'extra', 'id', 'slug', 'title', 'version'], ['content']]);
    expect((await list('h.example')).total).toBe(0);
  });

  it('reads a CSV whose optional columns may be blank or missing', async () => {
    const rows = ['title,content,domain,slug,version', 'T,"a,\nb",i.example,one,', 'T,c,i.example,two,5'];
    expect(await load('content', 'c.csv', rows.join('\r\n'))).toMatchObject({ exitCode: 0 });
    expect((await list('i.example', 'one')).items).toMatchObject([{ content: 'a,\nb', version: 1 }]);
    expect((await list('i.example', 'two')).items).toMatchObject([{ version: 5, meta_description: '' }]);
  });

  it('keeps totals exact for many items', async () => {
    await loadItems(Array.from({ length: 60 }, (_, index) => item('j.example', `s${index}`)));
    const { total, items } = await list('j.example');
    expect([total, new Set(items.map(({ slug }) => slug)).size]).toEqual([60, 60]);
  });
});
