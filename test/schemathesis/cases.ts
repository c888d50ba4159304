import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Scenario {
  readonly ScenarioFinished?: {
    readonly recorder?: {
      readonly cases?: Readonly<Record<string, { readonly value: { method: string; path: string } }>>;
    };
  };
}

const scenariosIn = async (folder: string): Promise<Scenario[]> => {
  const reports = (await readdir(folder)).filter((name) => name.endsWith('.ndjson'));
  const texts = await Promise.all(reports.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line));
};

/** How many requests were made up for each `METHOD /path`, from the reports in a folder. */
export const casesPerOperation = async (folder: string): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  for (const { ScenarioFinished } of await scenariosIn(folder)) {
    for (const { value } of Object.values(ScenarioFinished?.recorder?.cases ?? {})) {
      const operation = `${value.method} ${value.path}`;
      counts.set(operation, (counts.get(operation) ?? 0) + 1);
    }
  }
  return counts;
};
