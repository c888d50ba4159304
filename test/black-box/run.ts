/**
 * The checks against a service that runs somewhere: TEST_API_ORIGIN=https://… node test/black-box/run.ts --stack NAME
 * TEST_API_HOST is sent as `Host` where it is set; the arguments tell the operator CLI which deployment to prepare.
 * It makes keys and loads the sample vehicles there: not for production.
 */
import { adminProcess } from './admin-process.ts';
import { prepareTarget } from './prepare-target.ts';
import { runChecks } from './run-checks.ts';

const { TEST_API_ORIGIN: origin, TEST_API_HOST: host } = process.env;
const say = (line: string) => process.stdout.write(`${line}\n`);

if (origin === undefined) throw new Error('Set TEST_API_ORIGIN to the address of the API, without a path.');
const keys = await prepareTarget(adminProcess(process.argv.slice(2), process.env), new Date());
const held = await runChecks({ origin, keys, ...(host && { host }) }, say);
say(`${held} checks held at ${origin}`);
