import { readFileSync } from 'node:fs';

/** The version of the package, of the document and of each program. */
export const { version: VERSION } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
