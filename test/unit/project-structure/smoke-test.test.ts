import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { expect, it } from '@jest/globals';
import { useFolder } from '../../support/use-folder.ts';

const pathOf = useFolder();

/** The AWS CLI as far as the smoke test needs it. Whoever invokes the probe is throttled. */
const AWS = `#!/bin/sh
echo "$1 $2 $3 $4" >>"$CALLS"
case $2 in list-stack-resources) echo probe ;; invoke) exit 254 ;; esac
`;

it('The smoke test moves the aliases back when the probe cannot be invoked, after a second attempt', () => {
  const [aws, calls, versions] = [pathOf('aws'), pathOf('calls'), pathOf('versions')];
  writeFileSync(aws, AWS);
  chmodSync(aws, 0o755);
  writeFileSync(versions, 'lookup 7\n');
  const env = { ...process.env, CALLS: calls, PATH: [dirname(aws), process.env.PATH].join(delimiter) };
  const { status, stderr } = spawnSync('.ci/smoke-test', ['a-stack', versions], { env, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(readFileSync(calls, 'utf8').trim().split('\n').slice(1)).toEqual([
    'lambda invoke --function-name probe',
    'lambda invoke --function-name probe',
    'lambda update-alias --function-name lookup',
  ]);
  expect(stderr).toContain('it could not be invoked');
});
