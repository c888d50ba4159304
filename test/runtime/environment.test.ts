import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { databaseFromEnvironment, tableNamesFromEnvironment } from '../../functions/runtime/environment.ts';

const before = { ...process.env };
beforeEach(() => {
  for (const name of Object.keys(process.env)) if (/^AWS_|_TABLE$/.test(name)) delete process.env[name];
});
afterEach(() => {
  Object.assign(process.env, before);
});

describe('The environment', () => {
  it('names every missing table at once', () => {
    process.env.KEYS_TABLE = 'k';
    expect(() => tableNamesFromEnvironment(['keys', 'usage', 'vehicles'])).toThrow('USAGE_TABLE, VEHICLES_TABLE');
  });

  it('is asked only for what a function needs', () => {
    process.env.KEYS_TABLE = 'k';
    expect(tableNamesFromEnvironment(['keys'])).toEqual({ keys: 'k' });
  });

  it('names every missing variable of the database at once', () => {
    process.env.AWS_REGION = 'eu-west-2';
    expect(() => databaseFromEnvironment()).toThrow('AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY');
  });

  it('takes an empty endpoint for none', () => {
    Object.assign(process.env, {
      AWS_REGION: 'r',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 's',
      AWS_ENDPOINT_URL_DYNAMODB: '',
    });
    expect(databaseFromEnvironment()).toEqual({ region: 'r', credentials: { accessKeyId: 'a', secretAccessKey: 's' } });
  });

  it('gives the session token with which Lambda signs', () => {
    Object.assign(process.env, {
      AWS_REGION: 'r',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 's',
      AWS_SESSION_TOKEN: 't',
    });
    expect(databaseFromEnvironment().credentials).toEqual({
      accessKeyId: 'a',
      secretAccessKey: 's',
      sessionToken: 't',
    });
  });
});
