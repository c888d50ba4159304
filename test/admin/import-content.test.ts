import { describe, expect, it } from '@jest/globals';
import { contentTable } from '../../functions/content/content-table.ts';
import { deadlineIn } from '../../functions/runtime/deadline.ts';
import { commandLine, NOW } from './command-line.ts';

const { run, file, engine, rejectedLines } = commandLine();

const table = () => contentTable(engine().client, engine().names.content);
const list = (domain: string, slug?: string) =>
  table().list({ domain, ...(slug && { slug }) }, { offset: 0, limit: 100 }, deadlineIn(5_000));
const load = async (items: readonly object[], options?: Parameters<typeof run>[1]) => {
  const path = await file('c.ndjson', items.map((item) => JSON.stringify(item)).join('\n'));
  return { ...(await run(['import', 'content', path], options)), path };
};
const later = { now: new Date(NOW.getTime() + 86_400_000) };
const ID = '11111111-2222-4333-8444-55555555555';

describe('import content', () => {
  it('creates an item by domain and slug, then updates that one', async () => {
    const item = { title: 'One', content: 'Body', domain: 'A.example', slug: 'one' };
    expect(await load([item])).toMatchObject({ exitCode: 0, stderr: '' });
    const [created] = (await list('a.example')).items;
    const stamp = NOW.toISOString();
    const fields = { ...item, domain: 'a.example', meta_description: '', created_at: stamp };
    expect(created).toEqual({ id: expect.any(String), ...fields, updated_at: stamp, version: 1 });
    await load([{ ...item, title: 'Uno' }], later);
    const updated = { ...created, title: 'Uno', version: 2, updated_at: later.now.toISOString() };
    expect(await list('a.example')).toEqual({ items: [updated], total: 1 });
  });

  it('creates an item with the id, timestamps and version of the file', async () => {
    const item = {
      id: `${ID}1`,
      title: 'T',
      content: 'C',
      domain: 'b.example',
      slug: 's',
      meta_description: 'm',
      created_at: '2025-01-01T00:00:00.000Z',
      updated_at: '2025-02-01T00:00:00.000Z',
      version: 7,
    };
    await load([item]);
    expect((await list('b.example')).items).toEqual([item]);
  });

  it('moves a slug from item to item, in any order of the rows', async () => {
    const item = (id: string, slug: string) => ({ id, title: 'T', content: 'C', domain: 'chain.example', slug });
    await load([item(`${ID}5`, 'a'), item(`${ID}6`, 'b'), item(`${ID}7`, 'c')]);
    const shifted = await load([item(`${ID}5`, 'b'), item(`${ID}6`, 'c'), item(`${ID}7`, 'd')]);
    expect(shifted.exitCode).toBe(0);
    const slugs = (await list('chain.example')).items.map(({ id, slug }) => [id.at(-1), slug]);
    expect(slugs.toSorted()).toEqual([
      ['5', 'b'],
      ['6', 'c'],
      ['7', 'd'],
    ]);
  });

  it('changes nothing the second time', async () => {
    const items = [
      { title: 'T', content: 'C', domain: 'c.example', slug: 'x' },
      { title: 'T', content: 'C', domain: 'c.example', slug: 'y', id: `${ID}2`, version: 3 },
      { title: 'T', content: 'C', domain: 'c.example', slug: 'z', updated_at: '2025-01-01T00:00:00Z' },
    ];
    await load(items);
    const first = await list('c.example');
    expect(first.total).toBe(3);
    expect(await load(items, later)).toMatchObject({ exitCode: 0 });
    expect(await list('c.example')).toEqual(first);
  });

  it('moves an item with an id to another domain and slug, with its lists and slugs', async () => {
    const item = { id: `${ID}3`, title: 'T', content: 'C', domain: 'd.example', slug: 'here' };
    await load([item]);
    await load([{ ...item, domain: 'e.example', slug: 'there' }], later);
    expect(await list('d.example')).toEqual({ items: [], total: 0 });
    expect(await list('d.example', 'here')).toEqual({ items: [], total: 0 });
    expect(await list('e.example')).toMatchObject({ items: [{ id: item.id, version: 2, slug: 'there' }], total: 1 });
    expect(await list('e.example', 'there')).toMatchObject({ total: 1 });
  });

  it('never decreases a version, so that no concurrent change is overwritten', async () => {
    const item = { id: `${ID}4`, title: 'T', content: 'C', domain: 'f.example', slug: 's', version: 2 };
    await load([item]);
    await table().update(item.id, { title: 'U' }, undefined, { now: NOW, deadline: deadlineIn(5_000) });
    await load([item], later);
    expect((await list('f.example')).items).toMatchObject([{ title: 'T', version: 4 }]);
  });

  it('never decreases an `updated_at` that the file lacks, even when the clock is behind or `created_at` is later', async () => {
    const item = { title: 'T', content: 'C', domain: 'k.example', slug: 'late' };
    const moment = { now: later.now, deadline: deadlineIn(5_000) };
    await table().create({ ...item, meta_description: '' }, undefined, moment);
    await load([{ ...item, title: 'U' }]);
    const { items } = await list('k.example');
    const stamp = later.now.toISOString();
    expect(items).toMatchObject([{ title: 'U', version: 2, created_at: stamp, updated_at: stamp }]);
    const ahead = '2030-01-01T00:00:00.000Z';
    await load([{ ...item, created_at: ahead }]);
    const changed = (await list('k.example')).items;
    expect(changed).toMatchObject([{ title: 'T', created_at: ahead, updated_at: ahead }]);
    expect(await load(changed)).toMatchObject({ exitCode: 0 });
  });

  it('rejects a slug that another item has, and an item that is in the file twice', async () => {
    const item = { title: 'T', content: 'C', domain: 'g.example', slug: 's' };
    await load([item]);
    const { path, exitCode } = await load([
      { ...item, id: `${ID}5` },
      { ...item, domain: 'G.example' },
    ]);
    expect(exitCode).toBe(1);
    const rejected = (await rejectedLines(path)).sort((a, b) => a.line - b.line);
    expect(rejected.map(({ line, reasons }) => [line, ...reasons])).toEqual([
      [1, 'slug: another item of this domain has it'],
      [2, expect.stringContaining('is on line 1 already')],
    ]);
  });

  it('rejects an item that is in the file twice, by its slug and by its id', async () => {
    const item = { title: 'T', content: 'C', domain: 'l.example' };
    await load([{ ...item, id: `${ID}8`, slug: 'old' }]);
    const rows = [
      { ...item, title: 'U', slug: 'old' },
      { ...item, id: `${ID}8`, slug: 'new' },
    ];
    const first = await load(rows);
    expect(first.exitCode).toBe(1);
    expect(await rejectedLines(first.path)).toMatchObject([
      { line: 2, reasons: [expect.stringContaining('this item is on line 1 already')] },
    ]);
    const { items } = await list('l.example');
    expect(items).toMatchObject([{ id: `${ID}8`, slug: 'old', title: 'U' }]);
    await load(rows, later);
    expect((await list('l.example')).items).toEqual(items);
  });

  it('creates a new item for the slug that an earlier row takes from another item', async () => {
    const item = { title: 'T', content: 'C', domain: 'm.example' };
    await load([{ ...item, id: `${ID}9`, slug: 'old' }]);
    const rows = [
      { ...item, id: `${ID}9`, slug: 'new' },
      { ...item, slug: 'old' },
    ];
    expect(await load(rows)).toMatchObject({ exitCode: 0 });
    const loaded = await list('m.example');
    expect(loaded.items).toMatchObject([
      { slug: 'old', version: 1 },
      { id: `${ID}9`, slug: 'new' },
    ]);
    await load(rows, later);
    expect(await list('m.example')).toEqual(loaded);
  });

  it('rejects what a request to create would be rejected for, with every issue', async () => {
    const { path } = await load([
      { title: ' ', slug: 'Bad Slug', domain: 'h.example', extra: 1, id: 'X', version: 0, created_at: 'now' },
      { title: 'T', content: 'x'.repeat(100_001), domain: 'h.example', slug: 's' },
    ]);
    const rejected = await rejectedLines(path);
    const about = rejected.map(({ reasons }) => reasons.map((reason) => reason.split(':')[0]).sort());
    expect(about).toEqual([['content', 'created_at', 'extra', 'id', 'slug', 'title', 'version'], ['content']]);
    expect((await list('h.example')).total).toBe(0);
  });

  it('reads a CSV whose optional columns may be blank or missing', async () => {
    const rows = ['title,content,domain,slug,version', 'T,"a,\nb",i.example,one,', 'T,c,i.example,two,5'];
    const path = await file('c.csv', rows.join('\r\n'));
    expect(await run(['import', 'content', path])).toMatchObject({ exitCode: 0 });
    expect((await list('i.example', 'one')).items).toMatchObject([{ content: 'a,\nb', version: 1 }]);
    expect((await list('i.example', 'two')).items).toMatchObject([{ version: 5, meta_description: '' }]);
  });

  it('keeps totals exact for many items', async () => {
    const items = Array.from({ length: 60 }, (_, index) => ({
      title: 'T',
      content: 'C',
      domain: 'j.example',
      slug: `s${index}`,
    }));
    await load(items);
    const { total, items: listed } = await list('j.example');
    expect([total, new Set(listed.map(({ slug }) => slug)).size]).toEqual([60, 60]);
  });
});
