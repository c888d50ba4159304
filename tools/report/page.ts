import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { svgOf } from './chart.ts';
import { overviewMarkdown, sectionMarkdown } from './markdown.ts';
import type { Kept } from './report.ts';

/** A page of results: `docs/NAME.md`, with its data and charts in `docs/NAME/`. */
export interface Page {
  readonly file: string;
  readonly title: string;
  /** Markdown that stands before the results: what this is and how to run it again. */
  readonly introduction: string;
  /** The order in which sections stand, whichever of them ran. */
  readonly order: readonly string[];
}

const folderOf = ({ file }: Page): string => file.slice(0, -extname(file).length);

const dataFile = (page: Page): string => join(folderOf(page), 'results.json');

const readKept = async (page: Page): Promise<readonly Kept[]> => {
  try {
    return JSON.parse(await readFile(dataFile(page), 'utf8')) as Kept[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

/** Puts a section's new outcome in the place of its last one and writes page, data and charts. */
export const keep = async (page: Page, outcome: Kept): Promise<void> => {
  const folder = folderOf(page);
  await mkdir(folder, { recursive: true });
  const others = (await readKept(page)).filter(({ id }) => id !== outcome.id && page.order.includes(id));
  const sections = [...others, outcome].sort((a, b) => page.order.indexOf(a.id) - page.order.indexOf(b.id));
  for (const block of outcome.blocks) {
    if ('chart' in block) await writeFile(join(folder, `${block.chart.file}.svg`), svgOf(block.chart));
  }
  const parts = [
    `# ${page.title}`,
    page.introduction,
    overviewMarkdown(sections),
    ...sections.map((section) => sectionMarkdown(section, basename(folder))),
  ];
  await writeFile(dataFile(page), `${JSON.stringify(sections, null, 2)}\n`);
  await writeFile(page.file, `${parts.join('\n\n')}\n`);
};
