/** TypeScript types for consumers, by openapi-typescript, which is installed apart because it needs an older TypeScript. */
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

/** In `'A' | string` TypeScript keeps only `string`; written like this, editors still complete the known codes. */
const keepKnownCodes = (types: string): string => types.replace(/("\)?) \| string\b/g, '$1 | (string & {})');

/** The types of the document in a file. Installs the generator the first time. */
export const generateApiTypes = (document: URL): string => {
  if (!hasTypeGenerator()) install();
  const naming = ['--root-types', '--root-types-no-schema-prefix'];
  const types = execFileSync(process.execPath, [generator, fileURLToPath(document), ...naming], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return keepKnownCodes(types);
};
