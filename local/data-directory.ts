/** The folder of `npm start -- --data`: the files of the embedded engine, and the keys. */
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { CannotStart } from './options.ts';

const OWNER_ONLY = 0o700;

/** A file of every LevelDB database. A folder with other files only is left as it is. */
const MARKER = 'CURRENT';

/** Creates the folder if it is missing, and restricts it to its owner. @throws CannotStart */
export const prepareDataDirectory = async (directory: string): Promise<void> => {
  try {
    // Not recursive: Node's recursive `mkdir` never returns below /proc.
    await mkdir(directory, OWNER_ONLY).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const files = await readdir(directory);
    if (files.length > 0 && !files.includes(MARKER))
      throw new CannotStart(`The folder ${directory} has other files or damaged data: name a new or an empty folder.`);
    await chmod(directory, OWNER_ONLY);
  } catch (error) {
    if (error instanceof CannotStart) throw error;
    throw new CannotStart(
      `The data folder ${directory} cannot be used (${(error as Error).message}): name another one.`,
    );
  }
};

/** The innermost error is the most specific: LevelDB's own. */
const innermost = (error: NodeJS.ErrnoException): NodeJS.ErrnoException =>
  error.cause ? innermost(error.cause as Error) : error;

/** Explains why the engine could not open or fill the folder. */
export const unusableData = (directory: string, error: Error): CannotStart => {
  const { code, message } = innermost(error);
  if (code === 'LEVEL_LOCKED')
    return new CannotStart(
      `The data folder ${directory} is in use by another npm start: stop that one, or name another folder.`,
    );
  return new CannotStart(
    `The data in ${directory} cannot be used (${message}): check its disk and permissions, or delete the folder.`,
  );
};
