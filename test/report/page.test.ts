import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { keep, type Page } from '../../tools/report/page.ts';
import type { Kept } from '../../tools/report/report.ts';
import { chosen, runSections } from '../../tools/report/run.ts';
import { brokenIn, hasCrashed } from '../../tools/report/verdict.ts';

let folder: string;
let page: Page;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'report-'));
  page = { file: join(folder, 'speed.md'), title: 'Speed', introduction: 'How fast.', order: ['start', 'run'] };
});
afterEach(() => rm(folder, { recursive: true }));

const outcome = (id: string, found: string, holds = true): Kept => ({
  id,
  title: `The ${id}`,
  day: '2026-06-15',
  seconds: 3,
  machine: 'a processor, 2 cores',
  findings: [{ promise: 'at most 0.75', found, holds }],
  blocks: [
    { text: 'In words.' },
    {
      table: {
        head: ['what', 'ms'],
        rows: [
          ['a|b', 1.5],
          ['c', 12],
        ],
      },
    },
  ],
});

const text = () => readFile(page.file, 'utf8');

describe('A page of results', () => {
  it('tells of each section what was promised, what was found and whether that holds', async () => {
    await keep(page, outcome('start', '0.61'));
    expect(await text()).toContain('| at most 0.75 | 0.61 | yes |');
    expect(await text()).toContain('| [The start](#the-start) | holds | 3 s | 2026-06-15 |');
  });

  it('says so when a promise does not hold', async () => {
    await keep(page, outcome('start', '0.80', false));
    expect(await text()).toContain('| at most 0.75 | 0.80 | **no** |');
    expect(await text()).toContain('| [The start](#the-start) | **does not hold** |');
  });

  it('puts a new outcome in the place of the last one and leaves the others', async () => {
    await keep(page, outcome('run', '1.00'));
    await keep(page, outcome('start', '0.70'));
    await keep(page, outcome('run', '0.99'));
    const written = await text();
    expect(written).not.toContain('1.00');
    expect(written.indexOf('0.70')).toBeLessThan(written.indexOf('0.99'));
  });

  it('drops a section that the page no longer has', async () => {
    await keep(page, outcome('start', '0.70'));
    await keep({ ...page, order: ['run'] }, outcome('run', '0.99'));
    expect(await text()).not.toContain('0.70');
  });

  it('sets figures to the right and keeps a bar in a cell from ending it', async () => {
    await keep(page, outcome('start', '0.70'));
    expect(await text()).toContain('| what | ms |\n|---|---:|\n| a\\|b | 1.5 |\n| c | 12 |');
  });

  it('draws a chart into an image beside it', async () => {
    const chart = {
      file: 'latency',
      title: 'Latency',
      kind: 'bar',
      unit: 'ms',
      x: ['raw', 'ours'],
      series: [{ name: 'p50', values: [3, 2] }],
    } as const;
    await keep(page, { ...outcome('start', '0.70'), blocks: [{ chart }] });
    expect(await text()).toContain('![Latency](speed/latency.svg)');
    const svg = await readFile(join(folder, 'speed', 'latency.svg'), 'utf8');
    expect(svg).toMatch(/^<svg [\s\S]+<\/svg>\n$/);
    for (const word of ['>Latency<', '>raw<', '>ours<']) expect(svg).toContain(word);
  });
});

describe('A section whose process dies', () => {
  it('does not hold, whatever its last outcome was, and the next one runs all the same', async () => {
    const module = (name: string) => new URL(`./sections/${name}.ts`, import.meta.url);
    const sections = [
      { id: 'start', title: 'The start', module: module('dying') },
      { id: 'run', title: 'The run', module: module('sound'), size: 'quick' },
    ];
    await keep(page, outcome('start', '0.61'));
    // What it prints of a section that dies would look like a failure of this test.
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const [died, sound] = await runSections(sections, page);
    jest.restoreAllMocks();
    expect(died?.findings).toEqual([
      { promise: 'It comes to an outcome', found: 'its process ended by exit code 7', holds: false },
    ]);
    expect(sound?.findings).toEqual([{ promise: 'told a size', found: 'quick', holds: true }]);
    expect(await text()).toContain('| [The start](#the-start) | **does not hold** |');
    expect([died, sound].map((one) => one && hasCrashed(one))).toEqual([true, false]);
  });
});

describe('What is broken', () => {
  const { findings } = outcome('start', '0.80', false);

  it('is every promise that does not hold', () => {
    expect(brokenIn([outcome('run', '0.61'), outcome('start', '0.80', false)])).toEqual(findings);
    expect(brokenIn([outcome('run', '0.61')])).toEqual([]);
  });

  it('is a proof that promises nothing', () => {
    expect(brokenIn([{ findings: [], blocks: [] }])).toHaveLength(1);
  });
});

describe('Choosing sections', () => {
  const sections = ['start', 'run'].map((id) => ({ id, title: id, module: new URL('file:///none') }));

  it('is all of them unless some are named', () => {
    expect(chosen(sections, [])).toEqual(sections);
    expect(chosen(sections, ['run']).map(({ id }) => id)).toEqual(['run']);
  });

  it('names what is not there', () => {
    expect(() => chosen(sections, ['warm', 'run'])).toThrow('no section warm; there are: start, run');
  });
});
