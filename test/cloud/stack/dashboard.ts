import { describe, expect, it } from '@jest/globals';
import { resourcesOf, templateOf } from './synthesised.ts';

const [dashboard] = resourcesOf(templateOf({ stage: 'prod' }), 'AWS::CloudWatch::Dashboard');
const body = JSON.stringify(dashboard?.properties.DashboardBody);

describe('The dashboard', () => {
  it('shows from top to bottom what is wrong, what comes in, how it is answered and what it costs', () => {
    expect([...body.matchAll(/\\"title\\":\\"([^"\\]+)\\"/g)].map(([, title]) => title)).toEqual([
      'Alarms',
      'Traffic: requests a minute',
      'Errors: answers a minute',
      'Latency, as callers see it (ms)',
      'Limits hit: answers 429 a minute',
      'Database: throttles and faults',
      'p99 by function (ms)',
      'Cost: invocations',
      'Cost: read units',
      'Cost: write units',
      'Requests by plan, endpoint and outcome',
    ]);
  });
});
