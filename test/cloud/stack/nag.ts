import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { stackOf } from './synthesised.ts';

const EVERYTHING = {
  replicaRegions: 'eu-west-1',
  alarmEmail: 'ops@example.com',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-west-2:123456789012:certificate/1',
};

/** The violations in the validation report of the synthesis. */
const findingsOf = (context: Record<string, string>) => {
  const app = stackOf(context).node.root as App;
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const { directory } = app.synth();
  const { pluginReports } = JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8'));
  return (pluginReports as { violations: { ruleName: string }[] }[]).flatMap(({ violations }) =>
    violations.map(({ ruleName }) => ruleName),
  );
};

describe('The rule packs AwsSolutions and Serverless', () => {
  it.each([{ stage: 'dev' }, { stage: 'prod' }, { stage: 'prod', ...EVERYTHING }])('find nothing: %j', (context) => {
    expect(findingsOf(context)).toEqual([]);
  });
});
