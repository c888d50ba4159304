import { beforeEach } from '@jest/globals';
import { vehicleLine } from '../support/import-files.ts';
import { aPolicy } from '../support/records.ts';
import { NOW, useAdmin } from '../support/use-admin.ts';

/** A line of NDJSON: a vehicle with one policy, which has this number. */
export const policyLine = (registration: string, number: string, fields: object = {}): string =>
  vehicleLine({ registration, policies: [aPolicy({ number })], ...fields });

/** The commands of operators on empty tables. A test lets something happen to their calls at the proxy. */
export const useCommands = () => {
  const { clear, countedRun, file, proxy, stored } = useAdmin();
  beforeEach(clear);
  let seconds = 0;
  return {
    clear,
    stored,
    proxy,
    /** Each command runs a second later than the one before. @returns its data @throws Error when it has none */
    run: async (...args: readonly string[]): Promise<Record<string, unknown>> => {
      seconds += 1;
      const now = new Date(NOW.getTime() + seconds * 1_000);
      const { stdout, stderr } = await countedRun([...args, '--json'], { now });
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout);
    },
    file: (name: string, ...lines: readonly string[]): Promise<string> => file(name, lines.join('\n')),
  };
};
