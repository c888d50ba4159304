/** The source of a stack frame: bundles at the deployed commit again, with source maps. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CloudFormationClient, DescribeStacksCommand, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { type bundleFunctions, bundleHash } from './bundles.ts';
import { COMMIT_OUTPUT } from './outputs.ts';

/** The code of one function that is deployed. */
export interface DeployedCode {
  readonly commit: string;
  /** The `bundleHash` of the function's bundle. */
  readonly hash: string;
}

const ROOT = resolve(import.meta.dirname, '../..');
const FRAME = /\bindex\.js:(\d+):(\d+)/;

const run = (command: string, args: readonly string[], cwd = ROOT): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** What the last deployment of a stack says of a function's code. The region is the environment's or the profile's. */
export const deployedCode = async (stack: string, functionId: string): Promise<Partial<DeployedCode>> => {
  const client = new CloudFormationClient({});
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName: stack }));
    const { Resources = {} } = JSON.parse(TemplateBody) as {
      Resources?: Record<string, { Type: string; Properties?: { Description?: string } }>;
    };
    const named = `${functionId.replaceAll('-', '')}FunctionCurrentVersion`;
    const version = Object.entries(Resources).find(([id]) => id.startsWith(named))?.[1];
    const commit = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === COMMIT_OUTPUT)?.OutputValue;
    return {
      ...(commit && { commit }),
      ...(version?.Properties?.Description && { hash: version.Properties.Description }),
    };
  } finally {
    client.destroy();
  }
};

/** The files of a commit in a folder, with the packages of its lock file. */
const checkOut = (commit: string, folder: string): void => {
  const archive = join(folder, 'source.tar');
  run('git', ['archive', '--output', archive, commit]);
  run('tar', ['-xf', archive, '-C', folder]);
  const isSame = (lock: string) => readFileSync(join(ROOT, lock)).equals(readFileSync(join(folder, lock)));
  if (isSame('package-lock.json')) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], folder);
};

/** `core/dynamodb/retry.ts:41:7`, or the frame if it is none of the bundle. */
const originIn = (map: SourceMap, bundle: string, root: string, frame: string): string => {
  const [, line = 0, column = 0] = (FRAME.exec(frame) ?? []).map(Number);
  const position = readFileSync(join(bundle, 'index.js'), 'utf8').split('\n')[line - 1]?.[column - 1];
  const entry = map.findEntry(line - 1, column - 1);
  if (position === undefined || !('originalSource' in entry)) return `${frame.trim()}: not in the bundle`;
  const file = relative(root, resolve(bundle, entry.originalSource)).replace(/^.*(?=node_modules\/)/, '');
  return `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
};

/**
 * The file and line of each stack frame, such as `index.js:1:5149`, of a function.
 * @throws Error when git does not know the commit, or the code of the function there is not the deployed one
 */
export const findOrigins = async (
  functionId: string,
  frames: readonly string[],
  { commit, hash }: DeployedCode,
): Promise<string[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'stack-frame-'));
  try {
    checkOut(commit, folder);
    const module = (await import(pathToFileURL(join(folder, 'lib/cloud/bundles.ts')).href)) as {
      readonly bundleFunctions: typeof bundleFunctions;
    };
    const bundles = await module.bundleFunctions(undefined, undefined, true);
    const bundle = new Map(Object.entries(bundles)).get(functionId);
    if (bundle === undefined) throw new Error(`there is no function ${functionId} at ${commit}`);
    const built = bundleHash(bundle);
    if (built !== hash) {
      throw new Error(
        `${functionId} at ${commit} is not what is deployed: its bundle has ${built}, the deployed one ${hash}. Name the commit with --commit`,
      );
    }
    const map = new SourceMap(JSON.parse(readFileSync(join(bundle, 'index.js.map'), 'utf8')));
    return frames.map((frame) => originIn(map, bundle, folder, frame));
  } finally {
    rmSync(folder, { recursive: true });
  }
};
