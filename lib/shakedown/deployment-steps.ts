/** Updates the stage: with a working version, and with a broken one. */
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Step } from './run-steps.ts';
import { ROOT, STACK, type Target } from './target.ts';

const DOCS_URL = 'https://docs.example.com';
const BROKEN = "export const handler = async () => { throw new Error('broken by the shakedown'); };\n";
const PAUSE_MS = 500;

const listLiveVersions = ({ run }: Target) => run(join(ROOT, '.ci/live-versions'), [STACK]);

/** After the update the `type` of a problem begins with `DOCS_URL`. */
const isUpdated = async ({ send }: Target): Promise<boolean> => {
  const { type } = JSON.parse((await send('/v1/usage')).body.toString()) as { type: string };
  return type.startsWith(DOCS_URL);
};

const update = async (target: Target): Promise<void> => {
  await target.writeSettings({ docsUrl: DOCS_URL });
  await target.deploy();
  if (!(await isUpdated(target))) throw new Error('the version before the update still answers');
};

/** Moves the alias of one function to the previous version and back. */
const moveAlias = async (target: Target): Promise<void> => {
  const name = await target.resource('Lambda::Function', 'usage');
  const move = (version: number) =>
    target.aws(
      ...['lambda', 'update-alias', '--function-name', name, '--name', 'live', '--function-version', String(version)],
      ...['--routing-config', 'AdditionalVersionWeights={}'],
    );
  const live = (await listLiveVersions(target)).split('\n').find((line) => line.startsWith(`${name} `));
  const version = Number(live?.split(' ')[1]);
  await move(version - 1);
  try {
    await target.until('the version before answers', 1, async () => !(await isUpdated(target)));
  } finally {
    await move(version);
  }
  await target.until('the present version answers again', 1, () => isUpdated(target));
};

/** Deploys the last commit with one function that always crashes, and calls that function meanwhile. */
const deployBroken = async (target: Target): Promise<void> => {
  const worktree = await mkdtemp(join(tmpdir(), 'shakedown-broken-'));
  const git = (...args: string[]) => target.run('git', ['worktree', ...args]);
  await git('add', '--detach', worktree, 'HEAD');
  let isDeploying = true;
  const callers = (async () => {
    for (; isDeploying; await pause(PAUSE_MS)) await target.send('/v1/usage').catch(() => undefined);
  })();
  try {
    await symlink(join(ROOT, 'node_modules'), join(worktree, 'node_modules'));
    await writeFile(join(worktree, 'functions/endpoints/usage/handler.ts'), BROKEN);
    await target.deploy([], worktree);
  } finally {
    isDeploying = false;
    await callers;
    await git('remove', '--force', worktree);
  }
};

const seeRollBack = async (target: Target): Promise<void> => {
  const before = await listLiveVersions(target);
  const wasDeployed = await deployBroken(target).then(
    () => true,
    () => false,
  );
  if (wasDeployed) throw new Error('the broken function was deployed');
  const query = ['--query', 'Stacks[0].StackStatus'];
  const status = await target.aws('cloudformation', 'describe-stacks', '--stack-name', STACK, ...query);
  const application = await target.resource('CodeDeploy::Application', '');
  const group = await target.resource('CodeDeploy::DeploymentGroup', 'usage');
  const stopped = await target.aws(
    ...['deploy', 'list-deployments', '--application-name', application, '--deployment-group-name', group],
    ...['--include-only-statuses', 'Stopped', 'Failed', '--query', 'deployments[]'],
  );
  const problems = [
    ...(status === 'UPDATE_ROLLBACK_COMPLETE' ? [] : [`the stack is in ${status}`]),
    ...(stopped === '' ? ['CodeDeploy stopped no deployment'] : []),
    ...((await listLiveVersions(target)) === before ? [] : ['the aliases are not where they were']),
  ];
  if (problems.length > 0) throw new Error(problems.join('; '));
};

/** In this order: each depends on the one before. */
export const DEPLOYMENT_STEPS: readonly Step<Target>[] = [
  { title: 'An update, gradual on AWS, answers with the new version', run: update },
  { title: 'An alias that is moved by hand', run: moveAlias },
  { title: 'CodeDeploy rolls a broken function back', isAwsOnly: true, run: seeRollBack },
];
