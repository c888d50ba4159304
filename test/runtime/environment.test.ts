import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { databaseFromEnvironment, tableNamesFromEnvironment } from '../../core/runtime/environment.ts';

const before = { ...process.env };
beforeEach(() => {
  for (const name of Object.keys(process.env)) if (/^AWS_|_TABLE$/.test(name)) delete process.env[name];
});
afterEach(() => {
  Object.assign(process.env, before);
});
const DATABASE = { AWS_REGION: 'r', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };

describe('The environment', () => {
  it('needs only the tables of the function; the error names every missing one', () => {
    process.env.KEYS_TABLE = 'k';
    expect(tableNamesFromEnvironment(['keys'])).toEqual({ keys: 'k' });
    expect(() => tableNamesFromEnvironment(['keys', 'usage', 'vehicles'])).toThrow('USAGE_TABLE, VEHICLES_TABLE');
  });

  it('needs the region and credentials; the error names every missing one', () => {
    process.env.AWS_REGION = 'eu-west-2';
    expect(() => databaseFromEnvironment()).toThrow('AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY');
  });

  it('has no endpoint when the variable is empty', () => {
    Object.assign(process.env, DATABASE, { AWS_ENDPOINT_URL_DYNAMODB: '' });
    expect(databaseFromEnvironment()).toEqual({ region: 'r', credentials: { accessKeyId: 'a', secretAccessKey: 's' } });
  });

  it('has the session token with which Lambda signs', () => {
    Object.assign(process.env, DATABASE, { AWS_SESSION_TOKEN: 't' });
    const credentials = { accessKeyId: 'a', secretAccessKey: 's', sessionToken: 't' };
    expect(databaseFromEnvironment().credentials).toEqual(credentials);
  });
});
