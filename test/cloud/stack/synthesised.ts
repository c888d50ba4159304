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

const templates = new Map<string, Promise<unknown>>();

/** The template of a stage, synthesised once. */
export const templateOf = async (stage: Stage): Promise<Template> => {
  const key = JSON.stringify(stage);
  const template = templates.get(key) ?? synthesis.call('templateOf', stage);
  templates.set(key, template);
  return (await template) as Template;
};

/** The rules of AwsSolutions and Serverless that a stage violates. */
export const violationsOf = (stage: Stage) => synthesis.call('violationsOf', stage);

/** The warnings of `cdk synth` for a stage. */
export const warningsOf = (stage: Stage) => synthesis.call('warningsOf', stage);

/** Account, region, termination protection and notices of a stage's stack. */
export const stackOf = (stage: Stage) => synthesis.call('stackOf', stage);

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
