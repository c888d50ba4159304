import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

// A valid address: test/outside/site/documentation.test.ts.
it.each(['javascript:alert(1)', 'api.example.com', 'https://api.example.com/v1'])(
  'The site is not built for SITE_API=%s, with one sentence',
  (api) => {
    const { status, stderr } = spawnSync(process.execPath, ['site/prepare.ts'], {
      env: { ...process.env, SITE_API: api },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `SITE_API must be an address without a path, such as https://api.example.com, and not ${api}\n`,
    });
  },
);
