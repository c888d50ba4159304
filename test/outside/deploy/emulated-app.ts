/**
 * The CDK app for the emulator, which rejects alarms on expressions: they watch the first of their metrics instead. It
 * has no trails, so they are left out.
 */

import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Resource {
  readonly Type: string;
  readonly Properties: { readonly Metrics?: readonly { readonly MetricStat?: MetricStat }[] };
}

interface MetricStat {
  readonly Metric: object;
  readonly Period: number;
  readonly Stat: string;
}

const withoutExpression = ({ Metrics = [], ...properties }: Resource['Properties']): object => {
  const { Metric, Period, Stat } = Metrics.find(({ MetricStat }) => MetricStat)?.MetricStat ?? {};
  return Metric ? { ...properties, ...Metric, Period, Statistic: Stat } : properties;
};

await import('../../../bin/app.ts');
const { CDK_OUTDIR = '' } = process.env;
for (const name of globSync('*.template.json', { cwd: CDK_OUTDIR })) {
  const file = join(CDK_OUTDIR, name);
  const template = JSON.parse(await readFile(file, 'utf8'));
  for (const [id, resource] of Object.entries<{ Type: string; Properties: object }>(template.Resources)) {
    if (resource.Type === 'AWS::CloudTrail::Trail') delete template.Resources[id];
    if (resource.Type === 'AWS::CloudWatch::Alarm') resource.Properties = withoutExpression(resource.Properties);
  }
  await writeFile(file, JSON.stringify(template));
}
