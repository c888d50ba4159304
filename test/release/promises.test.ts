import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { templateOf } from '../cloud/stack/synthesised.ts';
import { apiPromises } from './api-promises.ts';
import { brokenPromises, unannounced } from './broken-promises.ts';
import { stackPromises, withRemedy } from './stack-promises.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const changelog = read('docs/changelog.md');
const template = await templateOf({ stage: 'prod' });

describe('This version', () => {
  it('keeps every promise of the last release, except those that docs/changelog.md names', () => {
    const released = read('docs/released/promises.txt').trimEnd().split('\n');
    const broken = brokenPromises(released, [...apiPromises(), ...stackPromises(template)]);
    expect(unannounced(broken, changelog).map(withRemedy)).toEqual([]);
  });

  it('has the same number in package.json, lock file, document and the newest section of docs/changelog.md', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(openApiDocument().info).toMatchObject({ version });
    expect(/^## (\S+)/m.exec(changelog)?.[1]).toBe(version);
    const { version: locked, packages } = JSON.parse(read('package-lock.json'));
    expect([locked, packages[''].version]).toEqual([version, version]);
  });
});

describe('Promises', () => {
  /** A change of a part changes its line: the line of the last release is then missing. */
  it('exist for every part of a request and a response', () => {
    expect([...apiPromises(), ...stackPromises(template)]).toEqual(
      expect.arrayContaining([
        'GET /v1/usage request scope of any key',
        'GET /v1/usage request without a body',
        'GET /v1/usage request.header requires nothing',
        'GET /v1/usage 200 body.window.used integer',
        'GET /v1/usage 200 header X-Sandbox optional string const true',
        'GET /v1/usage 200 body.key.plan value premium',
        'GET /v1/compliance/{registration} 200 body.reasons[] string',
        'GET /v1/compliance/{registration} 200 body.reasons[] value NO_POLICY',
        'POST /v1/vehicle/bulk-insurance 200 body.results[] (2 of 2).error string',
        'GET /api/content request.query.limit integer default 20 maximum 100 minimum 1',
        'GET /v1/api/content 403 DOMAIN_FORBIDDEN',
        'DELETE /v1/api/content/{id} 204 without a body',
        'POST /v1/api/content request.body object additionalProperties false',
        'POST /v1/api/content request.body requires content, domain, slug, title',
        'POST /v1/api/content request.body.meta_description string maxLength 500 (a text of at most 500 characters)',
        'any 401 header WWW-Authenticate string const Bearer',
        'any error body.errors[].pointer optional string format json-pointer',
        'any other request 405 METHOD_NOT_ALLOWED',
        'AWS::DynamoDB::GlobalTable Tablescontent7E71BE79',
        'create-content: content PutItem',
      ]),
    );
  });

  it('are broken when a line of them is gone, and by nothing that is added', () => {
    const [first = '', ...others] = apiPromises();
    expect(brokenPromises([first, ...others], ['new', ...others])).toEqual([first]);
  });

  it('exist for resources of each type that a deployment must not replace', () => {
    const types = stackPromises(template, {}).map((line) => line.split(' ')[0]);
    expect(new Set(types).size).toBe(7);
  });

  it('say of an action that it is removed in two releases, because the released version shares the role', () => {
    expect(withRemedy('create-content: content PutItem')).toMatch(/^create-content: content PutItem: .* two releases/);
    expect(withRemedy('GET /v1/usage 200 body.window.used integer')).toBe('GET /v1/usage 200 body.window.used integer');
  });

  it('are announced only by the lines for breaking and compatible changes in the newest section', () => {
    const newest =
      '## 2\n\n- Breaking: `GET /v1/x` is\n  gone, and `* 413`.\n- Compatible: `GET /v1/y request.query.z`.\n- New: `GET /v1/w`.\n';
    const log = `# Changelog\n\n${newest}\n## 1\n\n- Breaking: \`GET /v1/old\`.\n`;
    const announced = [
      'GET /v1/x',
      'GET /v1/x 200 body.a[] string',
      'GET /v1/a 413',
      'GET /v1/y request.query.z string',
    ];
    expect(unannounced(announced, log)).toEqual([]);
    const others = ['GET /v1/w', 'GET /v1/old', 'GET /v1/x/{id}', 'GET /v1/y request.query.zone', 'GET /v1/b 4130'];
    expect(unannounced(others, log)).toEqual(others);
  });
});
