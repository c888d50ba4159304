import { defineConfig } from 'tsdown';

const shared = { format: 'esm', fixedExtension: false, target: 'node20', platform: 'neutral' } as const;

export default defineConfig([{ ...shared, entry: ['src/index.ts'], dts: true }]);
