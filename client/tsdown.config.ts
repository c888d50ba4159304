import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { index: 'src/index.ts', cli: 'src/command-line/main.ts' },
  dts: { entry: 'src/index.ts' },
  // Only the command line needs them.
  deps: { onlyBundle: ['csv-parse', 'csv-stringify'] },
  fixedExtension: false,
  hash: false,
  target: 'node20',
});
