import { describe, expect, it } from '@jest/globals';
import { LOCAL_TABLE_NAMES, type TableId, tables } from '../../core/tables.ts';
import { containerEnvironment } from '../../lib/local/sam/service.ts';

describe('The environment of the functions in containers', () => {
  const environment = containerEnvironment('http://host.docker.internal:8000');

  it('names every table as the local engine does', () => {
    for (const [id, { environmentVariable }] of Object.entries(tables)) {
      expect(environment[environmentVariable]).toBe(LOCAL_TABLE_NAMES[id as TableId]);
    }
  });

  it('speaks to the engine, with credentials that are none', () => {
    expect(environment).toMatchObject({
      AWS_ENDPOINT_URL_DYNAMODB: 'http://host.docker.internal:8000',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    });
  });
});
