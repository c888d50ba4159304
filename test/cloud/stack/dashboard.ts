import { describe, expect, it } from '@jest/globals';
import { resourcesOf, templateOf } from './synthesised.ts';

const [dashboard] = resourcesOf(await templateOf({ stage: 'prod' }), 'AWS::CloudWatch::Dashboard');
const body = JSON.stringify(dashboard?.properties.DashboardBody);

describe('The dashboard', () => {
  it('shows alarms, traffic, errors, limits and costs from top to bottom', () => {
    expect([...body.matchAll(/\\"title\\":\\"([^"\\]+)\\"/g)].map(([, title]) => title)).toEqual([
      'Alarms',
      'Traffic: requests per minute',
      'Errors: responses per minute',
      'Latency at the gateway (ms)',
      'Rate limited: 429 responses per minute',
      'Database: throttled and failed requests',
      'Cold starts',
      'Functions: p99 (ms)',
      'Functions: crashes and timeouts',
      'Functions: throttled requests',
      'Cost: invocations',
      'Cost: read units',
      'Cost: write units',
    ]);
  });

  it('queries no logs, which cost by the gigabyte at each view', () => {
    expect(body).not.toContain('\\"type\\":\\"log\\"');
  });
});
