import { afterEach, describe, expect, it } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { testApi } from '../support/test-api.ts';

testApi();

const typeOfProblem = async () => {
  const { handler } = await import('../../functions/endpoints/vehicle-insurance/handler.ts');
  const { body = '' } = await handler({ requestContext: { requestId: 'r-1' } }, {} as Context);
  return (JSON.parse(body) as { type: string }).type;
};

describe('The `type` of a problem document', () => {
  afterEach(() => {
    delete process.env.DOCS_URL;
  });

  it('is a path of the service when DOCS_URL is not set', async () => {
    expect(await typeOfProblem()).toBe('/docs/errors#unauthorized');
    process.env.DOCS_URL = '';
    expect(await typeOfProblem()).toBe('/docs/errors#unauthorized');
  });

  it('is the URL of its section in the documentation at DOCS_URL', async () => {
    process.env.DOCS_URL = 'https://docs.example.com/vehicles';
    expect(await typeOfProblem()).toBe('https://docs.example.com/vehicles/errors.html#unauthorized');
  });
});
