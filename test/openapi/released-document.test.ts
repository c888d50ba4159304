import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { breakingChanges, unnamed } from './breaking-changes.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const changelog = read('docs/changelog.md');

/** As much of the document as the changes below need. */
interface Operation {
  parameters: { in: string; name: string; required: boolean; schema: object }[];
  requestBody: { required: boolean };
  responses: Record<string, { headers: Record<string, unknown>; content: object }>;
}
interface Schema {
  required: string[];
  properties: Record<
    string,
    Record<string, unknown> & { anyOf: [{ enum: string[] }]; items: { anyOf: [{ enum: string[] }] } }
  >;
}
interface Editable {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, { headers: Record<string, unknown> }> };
}

const copy = () => structuredClone(JSON.parse(JSON.stringify(openApiDocument()))) as Editable;
const LOOKUP = '/vehicle/{registration}/insurance';

/** What a change of today's document breaks. */
const brokenBy = (change: (document: Editable) => unknown): string[] => {
  const changed = copy();
  change(changed);
  return breakingChanges(copy(), changed);
};
const operation = ({ paths }: Editable, path: string, method: string) => paths[path]?.[method] as Operation;
const schema = ({ components }: Editable, name: string) => components.schemas[name] as Schema;
const property = (document: Editable, name: string, field: string) => {
  const found = schema(document, name).properties[field];
  if (found === undefined) throw new Error(`${name} has no ${field}`);
  return found;
};

describe('The document', () => {
  it('breaks nothing of the last release, or docs/changelog.md names it as breaking', () => {
    expect(unnamed(breakingChanges(JSON.parse(read('docs/released/openapi.json')), copy()), changelog)).toEqual([]);
  });

  it("has the package's version, which is the newest in docs/changelog.md", () => {
    const { version } = JSON.parse(read('package.json'));
    expect(openApiDocument().info).toMatchObject({ version });
    expect(/^## (\S+)/m.exec(changelog)?.[1]).toBe(version);
    const { version: locked, packages } = JSON.parse(read('package-lock.json'));
    expect([locked, packages[''].version]).toEqual([version, version]);
  });
});

describe('The comparison with the last release', () => {
  it.each<[string, (document: Editable) => unknown, string[]]>([
    ['a path', ({ paths }) => delete paths['/usage'], ['GET /v1/usage']],
    [
      'one of two addresses',
      ({ paths }) => Object.assign(paths['/api/content'] ?? {}, { servers: [{ url: '/v1' }] }),
      ['GET /api/content', 'POST /api/content'],
    ],
    [
      'an operation',
      ({ paths }) => delete paths['/api/content/{id}']?.put,
      ['PUT /v1/api/content/{id}', 'PUT /api/content/{id}'],
    ],
    ['a status', (all) => delete operation(all, LOOKUP, 'get').responses['404'], [`GET /v1${LOOKUP} 404`]],
    ['a parameter', (all) => operation(all, LOOKUP, 'get').parameters.pop(), [`GET /v1${LOOKUP} query date`]],
    [
      'a header of a response',
      ({ components }) => delete components.responses.UNAUTHORIZED?.headers['WWW-Authenticate'],
      expect.arrayContaining([`GET /v1${LOOKUP} 401 header WWW-Authenticate`]) as unknown as string[],
    ],
    ['a name of a type', ({ components }) => delete components.schemas.ValidationIssue, ['ValidationIssue']],
    ['a field of a response', (all) => delete schema(all, 'ContentItem').properties.slug, ['ContentItem/slug']],
    ['a field of a request', (all) => delete schema(all, 'BulkRequest').properties.date, ['BulkRequest/date']],
    [
      'a value',
      (all) => property(all, 'ComplianceVerdict', 'reasons').items.anyOf[0].enum.shift(),
      ['ComplianceVerdict/reasons/* NO_POLICY'],
    ],
    ['a code', (all) => property(all, 'Problem', 'code').anyOf[0].enum.pop(), ['Problem/code INTERNAL_ERROR']],
  ])('finds that %s is gone', (_what, change, expected) => {
    expect(brokenBy(change)).toEqual(expected);
  });

  it.each<[string, (document: Editable) => unknown, string[]]>([
    [
      'a parameter is required now',
      (all) => Object.assign(operation(all, LOOKUP, 'get').parameters[1] ?? {}, { required: true }),
      [`GET /v1${LOOKUP} query date required`],
    ],
    [
      'a new parameter is required',
      (all) => operation(all, LOOKUP, 'get').parameters.push({ in: 'query', name: 'on', required: true, schema: {} }),
      [`GET /v1${LOOKUP} query on required`],
    ],
    [
      'a body is required',
      (all) => Object.assign(operation(all, LOOKUP, 'get'), { requestBody: { required: true, content: {} } }),
      [`GET /v1${LOOKUP} body required`],
    ],
    [
      'a field of a request is required',
      (all) => schema(all, 'BulkRequest').required.push('date'),
      ['BulkRequest/date required'],
    ],
    [
      'a field of a request has another type',
      (all) => Object.assign(property(all, 'BulkRequest', 'date'), { type: 'integer' }),
      ['BulkRequest/date as string'],
    ],
    [
      'a field of a response may be missing',
      (all) => schema(all, 'ContentItem').required.splice(0, 1),
      ['ContentItem/id required'],
    ],
    [
      'a field of a response may be null',
      (all) => Object.assign(property(all, 'ContentItem', 'title'), { type: ['string', 'null'] }),
      ['ContentItem/title as null'],
    ],
  ])('finds that %s', (_what, change, expected) => {
    expect(brokenBy(change)).toEqual(expected);
  });

  it('accepts what only adds: an endpoint with required input, an optional field, a code', () => {
    const added = (all: Editable) => {
      all.paths['/fleet'] = { post: operation(all, '/vehicle/bulk-insurance', 'post') };
      Object.assign(schema(all, 'ContentItem').properties, { author: { type: 'string' } });
      property(all, 'Problem', 'code').anyOf[0].enum.push('TEAPOT');
    };
    expect(brokenBy(added)).toEqual([]);
  });

  it('accepts what a line of the newest section names as breaking, and nothing else', () => {
    const newest = '## 2\n\n- Breaking: `GET /v1/x` is\n  gone, and `* 413`.\n- New: `GET /v1/y`.\n';
    const changelog = `# Changelog\n\n${newest}\n## 1\n\n- Breaking: \`GET /v1/z\`.\n`;
    expect(unnamed(['GET /v1/x', 'GET /v1/a 413', 'GET /v1/b 413'], changelog)).toEqual([]);
    const others = ['GET /v1/y', 'GET /v1/z', 'GET /v1/x 404', 'GET /v1/x 1413'];
    expect(unnamed(others, changelog)).toEqual(others);
  });
});
