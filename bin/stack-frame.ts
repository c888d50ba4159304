/** File and line of the stack frames in a log: `npm run --silent stack-frame -- --stack STACK FUNCTION FRAME…`. */
import { parseArgs } from 'node:util';
import { deployedCode, findOrigins } from '../lib/cloud/stack-frame.ts';

const USAGE = `Usage: npm run --silent stack-frame -- --stack STACK FUNCTION FRAME…
  --commit COMMIT  instead of the one that was deployed last
  --hash HASH      instead of that of the version that was deployed last: the description of another version
  FUNCTION is the folder of its endpoint, such as vehicle-insurance; a FRAME is index.js:1:5149`;

/** @throws Error when something is missing, or the frames are not of the deployed code */
const main = async (): Promise<string> => {
  const options = { stack: { type: 'string' }, commit: { type: 'string' }, hash: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [functionId, ...frames] = positionals;
  if (functionId === undefined || frames.length === 0) return USAGE;
  const deployed = values.stack === undefined ? {} : await deployedCode(values.stack, functionId);
  const { commit, hash } = { ...deployed, ...values };
  if (commit === undefined || hash === undefined) {
    throw new Error('commit and hash are unknown: name the stack with --stack, or both with --commit and --hash');
  }
  // After the commit there may be the uncommitted changes of the deployment.
  const [deployedCommit = '', ...changes] = commit.split(' ');
  if (changes.length > 0) process.stderr.write(`deployed ${changes.join(' ')}\n`);
  return (await findOrigins(functionId, frames, { commit: deployedCommit, hash })).join('\n');
};

try {
  process.stdout.write(`${await main()}\n`);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
