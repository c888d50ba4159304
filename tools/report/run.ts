import { fork } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Presets, SingleBar } from 'cli-progress';
import { readableTable } from '../../lib/admin/command/readable-table.ts';
import { keep, type Page } from './page.ts';
import type { Kept, Outcome, Progress, Section } from './report.ts';
import type { Message } from './section-process.ts';
import { noOutcome } from './verdict.ts';

const SECTION_PROCESS = fileURLToPath(new URL('./section-process.ts', import.meta.url));

const machine = (): string =>
  `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** A bar on a terminal; nothing where nobody watches. */
const watched = async <T>(title: string, work: (progress: Progress) => Promise<T>): Promise<T> => {
  if (!process.stderr.isTTY) return work(() => undefined);
  const format = `${title} {bar} {value}/{total} {doing}  {duration_formatted}`;
  const bar = new SingleBar({ format, hideCursor: true, clearOnComplete: true }, Presets.shades_classic);
  bar.start(1, 0, { doing: '' });
  try {
    return await work((done, total, doing) => {
      bar.setTotal(total);
      bar.update(done, { doing });
    });
  } finally {
    bar.stop();
  }
};

const tell = ({ findings, blocks }: Outcome): void => {
  for (const { promise, found, holds } of findings) say(`  ${holds ? '✓' : '✗'} ${promise}: ${found}`);
  for (const block of blocks) {
    if ('table' in block) {
      const { head, rows } = block.table;
      process.stdout.write(
        readableTable(
          head,
          rows.map((row) => row.map(String)),
        ),
      );
    }
  }
};

const runApart = ({ module, size = '' }: Section, progress: Progress): Promise<Outcome> =>
  new Promise((resolve) => {
    const child = fork(SECTION_PROCESS, [module.href, size]);
    let outcome: Outcome | undefined;
    const end = () => child.kill();
    process.once('exit', end);
    child.on('message', (message: Message) => {
      if ('outcome' in message) outcome = message.outcome;
      else progress(...message.progress);
    });
    child.on('exit', (code, signal) => {
      process.off('exit', end);
      resolve(outcome ?? noOutcome(signal ?? `exit code ${code}`));
    });
  });

const runSection = async (section: Section): Promise<Kept> => {
  const { id, title } = section;
  say(`\n${title}`);
  const started = performance.now();
  const outcome = await watched(title, (progress) => runApart(section, progress));
  tell(outcome);
  const seconds = Math.round((performance.now() - started) / 1_000);
  say(`  ${seconds} s`);
  return { id, title, day: new Date().toISOString().slice(0, 10), seconds, machine: machine(), ...outcome };
};

/** The sections whose ids are given, or all. @throws Error naming an id that no section has */
export const chosen = (sections: readonly Section[], ids: readonly string[]): readonly Section[] => {
  const unknown = ids.filter((id) => !sections.some((section) => section.id === id));
  if (unknown.length > 0) {
    throw new Error(`no section ${unknown.join(', ')}; there are: ${sections.map(({ id }) => id).join(', ')}`);
  }
  return ids.length === 0 ? sections : sections.filter(({ id }) => ids.includes(id));
};

/**
 * Runs sections one after the other, prints what each found and keeps it on its page as soon as it is there.
 * @returns the outcomes, in order
 */
export const runSections = async (sections: readonly Section[], page: Page): Promise<readonly Kept[]> => {
  const outcomes: Kept[] = [];
  for (const section of sections) {
    const outcome = await runSection(section);
    await keep(page, outcome);
    outcomes.push(outcome);
  }
  return outcomes;
};
