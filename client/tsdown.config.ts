import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsdown';

/** Only the command line needs them. */
const BUNDLED = ['csv-parse', 'csv-stringify'];

/** Their licences ask for it. */
const notices = BUNDLED.map(
  (name) => `/*!\n${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()}\n*/`,
).join('\n');

export default defineConfig({
  entry: { index: 'src/index.ts', cli: 'src/command-line/main.ts' },
  dts: { entry: 'src/index.ts' },
  deps: { onlyBundle: BUNDLED },
  outputOptions: { footer: ({ name }) => (name === 'cli' ? notices : '') },
  fixedExtension: false,
  hash: false,
  target: 'node20',
});
