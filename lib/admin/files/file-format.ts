import { extname } from 'node:path';
import { CommandFailure } from '../command/command-failure.ts';

export type FileFormat = 'csv' | 'ndjson';

/** The format of a file, from its name. @throws CommandFailure when the name has another ending */
export const formatOf = (path: string): FileFormat => {
  const extension = extname(path).toLowerCase();
  if (extension === '.csv') return 'csv';
  if (extension === '.ndjson') return 'ndjson';
  throw new CommandFailure(`the name of the file must end in .csv or .ndjson: ${path}`);
};
