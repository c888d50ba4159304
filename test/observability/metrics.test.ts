import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RequestOutcome } from '../../functions/observability/metrics.ts';

const outcome: RequestOutcome = {
  requestId: 'request-1',
  endpoint: 'vehicle-insurance',
  status: 200,
  latencyMs: 12,
  plan: 'premium',
  isForced: false,
  databaseError: false,
};

describe('The metrics of a request', () => {
  let measure: (outcome: RequestOutcome) => void;
  let lines: Record<string, unknown>[];

  beforeAll(async () => {
    process.env.AWS_LAMBDA_INITIALIZATION_TYPE = 'on-demand';
    process.env.POWERTOOLS_METRICS_NAMESPACE = 'VehicleVerification/test';
    measure = (await import('../../functions/observability/metrics.ts')).measureRequest;
  });
  beforeEach(() => {
    lines = [];
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      lines.push(JSON.parse(String(text)));
      return true;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('of the first request include a cold start', () => {
    measure(outcome);
    expect(lines.map((line) => line.ColdStart)).toEqual([1, undefined]);
  });

  it('are one line that CloudWatch reads, with one set of dimensions', () => {
    measure(outcome);
    expect(lines).toEqual([
      {
        _aws: expect.objectContaining({
          CloudWatchMetrics: [
            {
              Namespace: 'VehicleVerification/test',
              Dimensions: [['service']],
              Metrics: [
                { Name: 'Requests', Unit: 'Count' },
                { Name: 'Latency', Unit: 'Milliseconds' },
                { Name: 'ServerErrors', Unit: 'Count' },
                { Name: 'RateLimited', Unit: 'Count' },
                { Name: 'DatabaseErrors', Unit: 'Count' },
              ],
            },
          ],
        }),
        service: 'vehicle-verification',
        requestId: 'request-1',
        endpoint: 'vehicle-insurance',
        code: 'OK',
        plan: 'premium',
        Requests: 1,
        Latency: 12,
        ServerErrors: 0,
        RateLimited: 0,
        DatabaseErrors: 0,
      },
    ]);
  });

  it('count server errors, database errors and rate limited requests', () => {
    measure({ ...outcome, status: 500, code: 'INTERNAL_ERROR', databaseError: true });
    measure({ ...outcome, status: 429, code: 'RATE_LIMITED' });
    expect(lines).toMatchObject([
      { ServerErrors: 1, DatabaseErrors: 1, RateLimited: 0, code: 'INTERNAL_ERROR' },
      { ServerErrors: 0, DatabaseErrors: 0, RateLimited: 1, code: 'RATE_LIMITED' },
    ]);
  });

  it('do not count an error that the sandbox forced', () => {
    measure({ ...outcome, status: 500, code: 'INTERNAL_ERROR', isForced: true });
    measure({ ...outcome, status: 429, code: 'RATE_LIMITED', isForced: true });
    const none = { Requests: 1, ServerErrors: 0, DatabaseErrors: 0, RateLimited: 0 };
    expect(lines).toMatchObject([none, none]);
  });
});
