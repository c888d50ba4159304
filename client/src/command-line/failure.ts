/** Why nothing was done: a sentence for the person at the terminal. */
export class CannotRun extends Error {}

/** The sentence for a file that cannot be used. */
export const fileFailure = (path: string, error: unknown): CannotRun => {
  const code = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  return new CannotRun(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be used (${code}).`);
};
