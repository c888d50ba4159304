import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { runTool } from './tools.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CDK = join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');
const STAGE = 'dev';
const HANDLER = 'sam-handler';

interface Resource {
  readonly Type: string;
  readonly Properties: { Handler?: string };
  readonly Metadata?: { readonly 'aws:asset:path'?: string };
}

interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
}

/** A template for `sam local`, and the folders that the containers mount. */
export interface SynthesisedApp {
  readonly template: string;
  readonly assets: readonly string[];
}

/** The architecture of this machine: emulating another one is slow, or not possible. */
const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64';

/** Runs the app of `cdk.json` with the Node of this process. */
const synthesise = (folder: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const context = ['-c', `stage=${STAGE}`, '-c', `architecture=${architecture}`];
  const PATH = [dirname(process.execPath), env.PATH].join(delimiter);
  const args = [CDK, 'synth', '--quiet', '--no-notices', ...context, '--output', folder];
  return runTool(process.execPath, args, { ...env, PATH }, ROOT);
};

const isFunction = ({ Type }: Resource): boolean => Type === 'AWS::Lambda::Function';

const assetOf = (folder: string, { Metadata }: Resource): string => join(folder, Metadata?.['aws:asset:path'] ?? '');

/** Adds the handler that corrects SAM's events to each bundle. */
const wrapHandlers = async (folder: string, { Resources }: Template): Promise<string[]> => {
  const functions = Object.values(Resources).filter(isFunction);
  const assets = [...new Set(functions.map((resource) => assetOf(folder, resource)))];
  for (const { Properties } of functions) Properties.Handler = `${HANDLER}.handler`;
  for (const asset of assets)
    await copyFile(join(import.meta.dirname, `${HANDLER}.cjs`), join(asset, `${HANDLER}.cjs`));
  return assets;
};

/** Synthesises the app for this machine's architecture into a folder. @throws the error of the CDK */
export const synthesiseForSam = async (folder: string, env: NodeJS.ProcessEnv): Promise<SynthesisedApp> => {
  await synthesise(folder, env);
  const name = (await readdir(folder)).find((file) => file.endsWith('.template.json'));
  if (name === undefined) throw new Error(`cdk synth left no template in ${folder}`);
  const template = join(folder, name);
  const content: Template = JSON.parse(await readFile(template, 'utf8'));
  const assets = await wrapHandlers(folder, content);
  await writeFile(template, JSON.stringify(content));
  return { template, assets };
};
