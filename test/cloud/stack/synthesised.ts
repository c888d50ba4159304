import { afterAll } from '@jest/globals';
import { endpoints } from '../../../functions/endpoints/table.ts';
import { forkCall } from '../../support/fork.ts';
import type { Stage } from './synthesis.ts';

const synthesis = await forkCall<{ readonly metrics: readonly string[]; readonly retentionDays: readonly number[] }>(
  new URL('./synthesis.ts', import.meta.url),
  'startSynthesis',
  [],
  // The CDK's own validation, which only warns, takes 280 MB and most of the time. `cdk deploy` runs it.
  { environment: { CDK_VALIDATION: 'false' } },
);
afterAll(() => synthesis.stop());

export interface Template {
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string;
        readonly Properties: Resource['properties'];
        readonly DeletionPolicy?: string;
        readonly DependsOn?: readonly string[];
        readonly UpdatePolicy?: object;
      }
    >
  >;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

interface Synthesised {
  readonly template: Template;
  readonly account: string;
  readonly region: string;
  readonly terminationProtection: boolean;
  readonly warnings: readonly string[];
  readonly notices: readonly string[];
}

const stacks = new Map<string, Promise<unknown>>();

/** The stack of a stage, synthesised once. */
export const stackOf = async (stage: Stage): Promise<Synthesised> => {
  const key = JSON.stringify(stage);
  const stack = stacks.get(key) ?? synthesis.call('stackOf', stage);
  stacks.set(key, stack);
  return (await stack) as Synthesised;
};

export const templateOf = async (stage: Stage): Promise<Template> => (await stackOf(stage)).template;

/** The warnings of `cdk synth` for a stage. */
export const warningsOf = async (stage: Stage): Promise<readonly string[]> => (await stackOf(stage)).warnings;

/** The rules of AwsSolutions and Serverless that a stage violates. */
export const violationsOf = (stage: Stage) => synthesis.call('violationsOf', stage);

/** A stage with every optional setting. */
export const FULL = {
  stage: 'prod',
  architecture: 'x86_64',
  settings: {
    owner: 'Team Vehicles',
    alarmEmail: 'ops@example.com',
    docsUrl: 'https://docs.example.com/vehicles',
    lambdaSystemLogs: true,
    domain: { name: 'api.example.com', certificateArn: 'arn:aws:acm:eu-west-2:123456789012:certificate/1' },
  },
} as const satisfies Stage;

/** The metrics that alarms and dashboard read, and the days for which the CDK knows that logs can be kept. */
export const { metrics, retentionDays } = synthesis.result;

/** One resource of a template, with its properties as plain data. */
export interface Resource {
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly deletionPolicy?: string;
  readonly dependsOn: readonly string[];
  readonly updatePolicy?: object;
}

/** All resources of a type. */
export const resourcesOf = (template: Template, type: string): Resource[] =>
  Object.entries(template.Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties, DeletionPolicy, DependsOn = [], UpdatePolicy }]) => ({
      id,
      properties: Properties,
      dependsOn: DependsOn,
      ...(UpdatePolicy !== undefined && { updatePolicy: UpdatePolicy }),
      ...(DeletionPolicy !== undefined && { deletionPolicy: DeletionPolicy }),
    }));

/** The logical id that a `Ref` or `GetAtt` names. */
export const referenced = (value: unknown): string => {
  const { Ref, 'Fn::GetAtt': attribute } = value as { readonly Ref?: string; readonly 'Fn::GetAtt'?: string[] };
  return Ref ?? attribute?.[0] ?? JSON.stringify(value);
};

/** The functions that serve requests. */
export const SERVING = [...Object.keys(endpoints), 'not-found'];

/** The id of a function as it is written in logical ids. */
export const logicalName = (id: string): string => id.replaceAll('-', '');

/** Extracts `vehicles` from the logical id of the vehicles table. */
export const tableNamed = (logicalId: string): string =>
  /^Tables([a-z]+)[0-9A-F]{8}$/.exec(logicalId)?.[1] ?? logicalId;
