import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsdown';

/** Only the command line needs them. `../csv` finds its own among the packages of the service. */
const BUNDLED = { 'csv-parse': '../node_modules', 'csv-stringify': 'node_modules', hucre: 'node_modules' };

/** Their licences ask for it. */
const notices = Object.entries(BUNDLED)
  .map(([name, folder]) => `/*!\n${name}\n\n${readFileSync(`${folder}/${name}/LICENSE`, 'utf8').trim()}\n*/`)
  .join('\n');

const shared = { fixedExtension: false, hash: false, target: 'node20' } as const;

export default defineConfig([
  { ...shared, entry: { index: 'src/index.ts' }, format: ['esm', 'cjs'], dts: true },
  {
    ...shared,
    entry: { cli: 'src/command-line/start.ts' },
    dts: false,
    deps: { onlyBundle: Object.keys(BUNDLED) },
    outputOptions: { footer: ({ name }) => (name === 'main' ? notices : '') },
  },
]);
