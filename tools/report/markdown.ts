import type { Block, Cell, Finding, Kept, Table } from './report.ts';

const escaped = (cell: Cell): string => String(cell).replaceAll('|', '\\|');

const line = (cells: readonly Cell[]): string => `| ${cells.map(escaped).join(' | ')} |`;

const isFigure = (cell: Cell | undefined): boolean => /^[<>~−-]?[\d.,]+( ?[%×])?$/.test(String(cell ?? ''));

/** A table of Markdown; columns of nothing but figures stand to the right. */
export const tableMarkdown = ({ head, rows }: Table): string => {
  const rules = head.map((_, column) =>
    rows.length > 0 && rows.every((row) => isFigure(row[column])) ? '---:' : '---',
  );
  return [line(head), `|${rules.join('|')}|`, ...rows.map(line)].join('\n');
};

const verdictOf = (findings: readonly Finding[]): string => {
  if (findings.length === 0) return 'measured';
  return findings.every(({ holds }) => holds) ? 'holds' : '**does not hold**';
};

const findingsTable = (findings: readonly Finding[]): Table => ({
  head: ['Promised', 'Found', 'Holds'],
  rows: findings.map(({ promise, found, holds }) => [promise, found, holds ? 'yes' : '**no**']),
});

const blockMarkdown = (block: Block, folder: string): string => {
  if ('text' in block) return block.text;
  if ('table' in block) return tableMarkdown(block.table);
  return `![${block.chart.title}](${folder}/${block.chart.file}.svg)`;
};

/** A heading's address within its page, as GitHub makes it. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');

/** Every section's verdict on a line. */
export const overviewMarkdown = (sections: readonly Kept[]): string =>
  tableMarkdown({
    head: ['What', 'Outcome', 'Took', 'Day'],
    rows: sections.map(({ title, findings, seconds, day }) => [
      `[${title}](#${anchorOf(title)})`,
      verdictOf(findings),
      `${seconds} s`,
      day,
    ]),
  });

/** @param folder where the charts are, as seen from the page */
export const sectionMarkdown = ({ title, findings, blocks, machine, day }: Kept, folder: string): string =>
  [
    `## ${title}`,
    ...(findings.length > 0 ? [tableMarkdown(findingsTable(findings))] : []),
    ...blocks.map((block) => blockMarkdown(block, folder)),
    `<sub>${day}, ${machine}</sub>`,
  ].join('\n\n');
