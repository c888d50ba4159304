import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { endpoints } from '../../../functions/endpoints.ts';
import type { Bundles } from '../../../lib/cloud/bundles.ts';
import { ServiceStack } from '../../../lib/cloud/service-stack.ts';
import { stageSettings } from '../../../lib/cloud/stage-settings.ts';

/** Any folder will do: the template does not depend on the contents of a bundle. */
const bundles = Object.fromEntries(
  [...Object.keys(endpoints), 'not-found'].map((id) => [id, import.meta.dirname]),
) as Record<keyof Bundles, string>;

/** Every app synthesizes into a folder of its own in here; by default the CDK leaves them in the temporary folder. */
const assemblies = mkdtempSync(join(tmpdir(), 'cloud-assemblies-'));
afterAll(() => rmSync(assemblies, { recursive: true }));

/** The stack of a stage in its own app, as `cdk deploy -c stage=…` creates it. */
export const stackOf = (context: Record<string, string>): ServiceStack => {
  const outdir = mkdtempSync(join(assemblies, 'app-'));
  const app = new App({ outdir, context: { 'aws:cdk:bundling-stacks': [], ...context } });
  const settings = stageSettings(app.node);
  return new ServiceStack(app, `vehicle-verification-${settings.stage}`, {
    settings,
    bundles,
    env: { account: '123456789012', region: 'eu-west-2' },
  });
};

/** The template of a stage. */
export const templateOf = (context: Record<string, string>): Template => Template.fromStack(stackOf(context));

/** One resource of a template, with its properties as plain data. */
export interface Resource {
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly deletionPolicy?: string;
}

/** All resources of a type. */
export const resourcesOf = (template: Template, type: string): Resource[] =>
  Object.entries(template.findResources(type)).map(([id, { Properties, DeletionPolicy }]) => ({
    id,
    properties: Properties,
    deletionPolicy: DeletionPolicy,
  }));

/** The logical id that a `Ref` or `GetAtt` names. */
export const referenced = (value: unknown): string => {
  const { Ref, 'Fn::GetAtt': attribute } = value as { readonly Ref?: string; readonly 'Fn::GetAtt'?: string[] };
  return Ref ?? attribute?.[0] ?? JSON.stringify(value);
};

/** `vehicles` for the logical id of the vehicles table. */
export const tableNamed = (logicalId: string): string =>
  /^Tables([a-z]+)[0-9A-F]{8}$/.exec(logicalId)?.[1] ?? logicalId;
