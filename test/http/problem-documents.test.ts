import { afterEach, describe, expect, it } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { testApi } from '../support/test-api.ts';

testApi();

const typeOfProblem = async () => {
  const { handler } = await import('../../functions/endpoints/vehicle-insurance/handler.ts');
  const { body = '' } = await handler({ requestContext: { requestId: 'r-1' } }, {} as Context);
  return (JSON.parse(body) as { type: string }).type;
};

describe('The type of a problem', () => {
  afterEach(() => {
    delete process.env.DOCS_URL;
  });

  it('is an address relative to the service where no documentation is published', async () => {
    expect(await typeOfProblem()).toBe('/docs/errors#unauthorized');
    process.env.DOCS_URL = '';
    expect(await typeOfProblem()).toBe('/docs/errors#unauthorized');
  });

  it('is the address of its section in the documentation that the environment names', async () => {
    process.env.DOCS_URL = 'https://docs.example.com/vehicles';
    expect(await typeOfProblem()).toBe('https://docs.example.com/vehicles/errors.html#unauthorized');
  });
});
