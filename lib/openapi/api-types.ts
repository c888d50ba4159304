/** TypeScript types for consumers, from openapi-typescript. It is installed separately, because it needs an older TypeScript. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../tools/api-types/', import.meta.url));
const generator = `${folder}node_modules/openapi-typescript/bin/cli.js`;

/** Whether the generator is installed. */
export const hasTypeGenerator = (): boolean => existsSync(generator);

const install = (): void => {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  execFileSync(npm, ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--silent'], { stdio: 'inherit' });
};

/** Lets editors complete the known codes: TypeScript reduces `'A' | string` to `string`, but not `'A' | (string & {})`. */
const keepKnownCodes = (types: string): string => types.replace(/("\)?) \| string\b/g, '$1 | (string & {})');

/** Generates the types of the document in a file. Installs the generator if it is missing. @throws when npm or the generator fails */
export const generateApiTypes = (document: URL): string => {
  if (!hasTypeGenerator()) install();
  const naming = ['--root-types', '--root-types-no-schema-prefix'];
  const types = execFileSync(process.execPath, [generator, fileURLToPath(document), ...naming], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return keepKnownCodes(types);
};
