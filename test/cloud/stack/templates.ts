import { readFileSync } from 'node:fs';
import { endpoints } from '../../../functions/endpoints/table.ts';
import type { Endpoint } from '../../../functions/http/endpoint-definition.ts';
import type { STAGES } from './stages.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: readonly string[];
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

interface Synthesis {
  readonly template: Template;
  readonly account: string;
  readonly region: string;
  readonly terminationProtection: boolean;
  readonly warnings: readonly string[];
}

export interface Synthesised {
  /** The metrics that alarms and dashboard read. */
  readonly metrics: readonly string[];
  readonly stacks: Readonly<Record<keyof typeof STAGES, Synthesis>>;
}

// Written by global-setup.ts.
export const { metrics, stacks }: Synthesised = JSON.parse(readFileSync(String(process.env.CLOUD_TEMPLATES), 'utf8'));

export const { template: PROD } = stacks.prod;
export const { template: DEV } = stacks.dev;
export const { template: FULL } = stacks.full;
export const { template: KEPT } = stacks.kept;
export const { template: LOADS } = stacks.loads;
export const { template: OTHER_LOADS } = stacks.otherLoads;
export const { template: AUDITED } = stacks.audited;

export const resourcesOf = (template: Template, type: string) =>
  Object.entries(template.Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, resource]) => ({ id, ...resource }));

/** The logical id that a `Ref` or `GetAtt` names. */
export const referenced = (value: unknown): string => {
  const { Ref, 'Fn::GetAtt': attribute } = value as { readonly Ref?: string; readonly 'Fn::GetAtt'?: string[] };
  return Ref ?? attribute?.[0] ?? JSON.stringify(value);
};

export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

interface Policy {
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
}

/** The statements of a policy, or of a role's own policies. */
export const statementsOf = ({ Properties }: Resource): readonly Statement[] =>
  ((Properties.Policies ?? [Properties]) as readonly Policy[]).flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );

/**
 * A table by its id, a text as it is, another resource by its logical id without the hash: `IntakeBucket/reports/*`.
 */
const resourceName = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const { 'Fn::Join': joined } = value as { readonly 'Fn::Join'?: readonly [string, readonly unknown[]] };
  if (joined) return joined[1].map(resourceName).join('');
  return referenced(value)
    .replace(/^Tables(?=[a-z]+[0-9A-F]{8}$)/, '')
    .replace(/[0-9A-F]{8}$/, '');
};

/** Each action that the statements permit, as `keys dynamodb:GetItem`, with its condition; sorted. */
export const permissionsIn = (statements: readonly Statement[]): string[] =>
  statements
    .flatMap(({ Effect, Action, Resource, Condition }) => {
      const condition = Condition === undefined ? '' : ` if ${JSON.stringify(Condition)}`;
      const names = [Resource].flat().map(resourceName);
      return names.flatMap((name) =>
        [Action].flat().map((action) => `${Effect === 'Allow' ? '' : `${Effect} `}${name} ${action}${condition}`),
      );
    })
    .sort();

/** The functions that serve requests. */
export const SERVING = [...Object.keys(endpoints), 'not-found'];

export const servingFunctions = (template: Template) =>
  resourcesOf(template, 'AWS::Lambda::Function').filter(({ id }) => !id.startsWith('Probe'));

/** The id of a function as it is written in logical ids. */
export const logicalName = (id: string): string => id.replaceAll('-', '');

/** The functions that look vehicles up, as they are named in logical ids. */
export const LOOKUPS = Object.values<Endpoint>(endpoints)
  .filter(({ tables }) => tables.vehicles !== undefined)
  .map(({ id }) => logicalName(id))
  .sort();

/** Extracts `vehicles` from the logical id of the vehicles table. */
export const tableNamed = (logicalId: string): string =>
  /^Tables([a-z]+)[0-9A-F]{8}$/.exec(logicalId)?.[1] ?? logicalId;
