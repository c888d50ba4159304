import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const readJson = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

// Otherwise an update of the CDK could change the templates of deployed stages.
it('cdk.json pins every feature flag of the CDK, at its recommended value', () => {
  expect(readJson('cdk.json').context).toEqual(readJson('node_modules/aws-cdk-lib/recommended-feature-flags.json'));
});
