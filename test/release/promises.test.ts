import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { EndpointId } from '../../functions/endpoints/table.ts';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { templateOf } from '../cloud/stack/synthesised.ts';
import { apiPromises, type DocumentedEndpoint, documentedEndpoints } from './api-promises.ts';
import { brokenPromises, unannounced } from './broken-promises.ts';
import { stackPromises, withRemedy } from './stack-promises.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const changelog = read('docs/changelog.md');
const template = await templateOf({ stage: 'prod' });

/** The part of a schema that the changes below edit. */
interface Schema {
  type: string;
  maximum: number;
  maxLength: number;
  default: number;
  required: string[];
  properties: Record<string, Schema>;
  items: Schema;
  anyOf: Schema[];
  enum: string[];
}
type Editable = Record<
  EndpointId,
  Pick<DocumentedEndpoint, 'method'> & {
    paths: string[];
    scope: string;
    problems: string[];
    tables: Record<string, string[]>;
    headers: Schema;
    query: Schema;
    body?: Schema;
    response: Schema;
  }
>;

/** A copy of the documented endpoints, without rules in code. */
const copy = (): Editable => JSON.parse(JSON.stringify(documentedEndpoints));
const promisesOf = (rows: object) => [
  ...apiPromises(rows as Record<string, DocumentedEndpoint>),
  ...stackPromises(template, rows as Record<string, DocumentedEndpoint>),
];

/** The promises that a change of the current table breaks. */
const brokenBy = (change: (rows: Editable) => unknown): string[] => {
  const changed = copy();
  change(changed);
  return brokenPromises(promisesOf(copy()), promisesOf(changed)).sort();
};
const field = ({ properties }: Schema, name: string): Schema => {
  const found = properties[name];
  if (found === undefined) throw new Error(`There is no field ${name}.`);
  return found;
};
const aText = { type: 'string' } as Schema;
const onBoth = (line: string) => [line.replace('/v1', ''), line];

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
  it('exist for every part of a request and a response', () => {
    expect([...apiPromises(), ...stackPromises(template)]).toEqual(
      expect.arrayContaining([
        'GET /v1/usage 200 body.window.used integer',
        'GET /v1/usage 200 header X-Sandbox optional string const true',
        'GET /v1/usage 200 body.key.plan value premium',
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

  it.each<[string, (rows: Editable) => unknown, string[]]>([
    [
      'a field of a response has another type',
      ({ usage }) => Object.assign(field(field(usage.response, 'window'), 'used'), { type: 'string' }),
      ['GET /v1/usage 200 body.window.used integer'],
    ],
    [
      'a field of a response may be missing',
      ({ usage }) => field(usage.response, 'window').required.shift(),
      ['GET /v1/usage 200 body.window.used integer'],
    ],
    [
      'a field of a response may be null',
      (rows) => {
        const { properties } = rows['read-content'].response;
        Object.assign(properties, { slug: { anyOf: [properties.slug, { type: 'null' }] } });
      },
      onBoth('GET /v1/api/content/{id} 200 body.slug string'),
    ],
    [
      'one alternative of an entry has lost a field',
      (rows) => delete field(rows['bulk-insurance'].response, 'results').items.anyOf[1]?.properties.error,
      ['POST /v1/vehicle/bulk-insurance 200 body.results[] (2 of 2).error string'],
    ],
    [
      'a code in a response is gone',
      ({ compliance }) => field(compliance.response, 'reasons').items.anyOf[0]?.enum.shift(),
      ['GET /v1/compliance/{registration} 200 body.reasons[] value NO_POLICY'],
    ],
    [
      'unknown codes become invalid',
      ({ compliance }) => field(compliance.response, 'reasons').items.anyOf.pop(),
      expect.arrayContaining(['GET /v1/compliance/{registration} 200 body.reasons[] string']) as unknown as string[],
    ],
    [
      'a new field of a request is required',
      ({ 'create-content': { body } }) => {
        Object.assign(body?.properties ?? {}, { author: aText });
        body?.required.push('author');
      },
      onBoth('POST /v1/api/content request.body requires content, domain, slug, title'),
    ],
    [
      'a new header is required',
      ({ usage }) =>
        Object.assign(usage, { headers: { type: 'object', required: ['X-Team'], properties: { 'X-Team': aText } } }),
      ['GET /v1/usage request.header requires nothing'],
    ],
    [
      'a body is required',
      ({ usage }) => Object.assign(usage, { body: { type: 'object', required: [], properties: {} } }),
      ['GET /v1/usage request without a body'],
    ],
    [
      'a limit is narrower',
      (rows) => Object.assign(field(rows['list-content'].query, 'limit'), { maximum: 50 }),
      onBoth('GET /v1/api/content request.query.limit integer default 20 maximum 100 minimum 1'),
    ],
    [
      'a scope is required',
      ({ usage }) => Object.assign(usage, { scope: 'content:read' }),
      ['GET /v1/usage request scope of any key'],
    ],
    [
      'a function has lost an action that the released version uses',
      (rows) => rows['create-content'].tables.content?.shift(),
      ['create-content: content PutItem'],
    ],
  ])('are broken when %s', (_what, change, expected) => {
    expect(brokenBy(change)).toEqual(expected);
  });

  it('say of an action that it is removed in two releases, because the released version shares the role', () => {
    const broken = brokenBy((rows) => rows['create-content'].tables.content?.shift());
    expect(broken.map(withRemedy)).toEqual([
      expect.stringMatching(/^create-content: content PutItem: .* two releases/),
    ]);
    expect(withRemedy('GET /v1/usage 200 body.window.used integer')).toBe('GET /v1/usage 200 body.window.used integer');
  });

  it('are broken when an endpoint or one of its two paths is gone', () => {
    const without = (rows: Editable) => delete (rows as Partial<Editable>).usage;
    const all = apiPromises().filter((line) => line.startsWith('GET /v1/usage '));
    expect(brokenBy(without)).toEqual(expect.arrayContaining(all));
    const oneLess = brokenBy((rows) => rows['create-content'].paths.pop());
    expect(oneLess.length).toBeGreaterThan(20);
    expect(oneLess.filter((line) => !line.startsWith('POST /api/content '))).toEqual([]);
  });

  it('are broken when a deployment replaces a resource that is kept, of each type', () => {
    const { Resources } = template;
    const kept = [...Map.groupBy(stackPromises(template, {}), (line) => line.split(' ')[0]).values()].map(
      ([line]) => line,
    );
    expect(kept).toHaveLength(7);
    for (const line of kept) {
      const id = line?.split(' ')[1] ?? '';
      const { [id]: resource, ...others } = Resources;
      for (const now of [{ renamed: resource }, { [id]: { ...resource, Type: 'AWS::Other::Type' } }]) {
        const current = stackPromises({ Resources: { ...others, ...now } as typeof Resources }, {});
        expect(brokenPromises(stackPromises(template, {}), current)).toEqual([line]);
      }
    }
  });

  it('are kept when a path, an optional field, a field of a response, a code, an error or an action is added', () => {
    const added = (rows: Editable) => {
      rows['bulk-insurance'].paths.push('/v1/fleet');
      Object.assign(rows['create-content'].body?.properties ?? {}, { author: aText });
      Object.assign(rows.usage, { query: { type: 'object', properties: { day: aText } } });
      Object.assign(rows['read-content'].response.properties, { author: aText });
      rows['read-content'].response.required.push('author');
      field(rows.compliance.response, 'reasons').items.anyOf[0]?.enum.push('STOLEN');
      rows.usage.problems.push('CONTENT_NOT_FOUND');
      rows.usage.tables.content = ['GetItem'];
    };
    expect(brokenBy(added)).toEqual([]);
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
