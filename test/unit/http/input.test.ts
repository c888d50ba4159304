import { describe, expect, it } from '@jest/globals';
import * as T from 'typebox';
import type { Caller } from '../../../core/access/authenticate.ts';
import {
  type ApiError,
  bodyTooLarge,
  bulkTooLarge,
  malformedJson,
  nestedTooDeeply,
  unsupportedContentType,
  validationFailed,
} from '../../../core/problems.ts';
import { validationIssues } from '../../../core/schemas/validation-issues.ts';
import {
  invalidRegistrationSentence,
  type Registration,
  registrationInPath,
} from '../../../core/vehicles/registration.ts';
import { input as bulkInsurance } from '../../../functions/endpoints/bulk-insurance/input.ts';
import { input as createContent } from '../../../functions/endpoints/create-content/input.ts';
import { input as listContent } from '../../../functions/endpoints/list-content/input.ts';
import type { EndpointId } from '../../../functions/endpoints/table.ts';
import { input as updateContent } from '../../../functions/endpoints/update-content/input.ts';
import { dateInput } from '../../../functions/endpoints/vehicle-insurance/date-input.ts';
import { bodyChecks, bodyParserError } from '../../../functions/http/body-checks.ts';
import { largestBulkSize, planBulkSize } from '../../../functions/http/bulk.ts';
import {
  type Input,
  noInput,
  pathParameters,
  QUERY_PARAMETERS,
  validation,
} from '../../../functions/http/validation.ts';
import { documents } from '../../../openapi/endpoint-documents.ts';
import { httpRequest } from '../../support/http-request.ts';

const inputs: Partial<Record<EndpointId, Input>> = {
  'vehicle-insurance': dateInput,
  'bulk-insurance': bulkInsurance,
  'create-content': createContent,
  'list-content': listContent,
  'update-content': updateContent,
};

/** The input after validation. */
const validated = (id: EndpointId, event: object, body?: unknown): object => {
  const request = httpRequest<{ input: object }>({ ...event, body });
  validation<object>(inputs[id] ?? noInput).before(request);
  return request.context.input;
};
const issuesOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return (error as ApiError).issues;
  }
  return undefined;
};
const NO_DAY = 'must be a day from 1900-01-01 to 2099-12-31, written YYYY-MM-DD';
const query = (rawQueryString: unknown) => validated('list-content', { rawQueryString });

/** The form of an `after`; of which list it is, is not looked at here. */
const AFTER = Buffer.from(`2026-07-01T12:00:00.000Z ${'0'.repeat(36)} digest`).toString('base64url');

describe('Reading the query', () => {
  it.each([
    ['limit=5&offset=0', { limit: 5, offset: 0 }],
    ['limit=005&unknown=1', { limit: 5 }],
    ['offset=10000', { offset: 10_000 }],
    [`limit=5&after=${AFTER}`, { limit: 5, after: AFTER }],
    ['domain=a.example&slug=7', { domain: 'a.example', slug: '7' }],
    ['', {}],
    [undefined, {}],
    [{ limit: '5' }, {}],
  ])('reads %j as %j', (raw, value) => {
    expect(query(raw)).toEqual({ query: value });
  });

  const NO_INTEGER = 'must be an integer in decimal digits';
  it.each([
    ['limit=1.5', 'limit', NO_INTEGER],
    ['limit=', 'limit', NO_INTEGER],
    ['limit=5x', 'limit', NO_INTEGER],
    ['limit=x5', 'limit', NO_INTEGER],
    ['limit=٣', 'limit', NO_INTEGER],
    ['limit=--5', 'limit', NO_INTEGER],
    ['limit=-5x', 'limit', NO_INTEGER],
    ['limit=x-5', 'limit', NO_INTEGER],
    ['limit=-0', 'limit', NO_INTEGER],
    ['limit=1&limit=2', 'limit', 'must not be given more than once'],
    ['slug=s&domain=a&domain=b', 'domain', 'must not be given more than once'],
    ['slug=7', 'domain', 'is required with slug'],
    ['offset=-1', 'offset', 'must be at least 0'],
    ['offset=-00012', 'offset', 'must be at least 0'],
    ['limit=101', 'limit', 'must be at most 100'],
    ['offset=10001', 'offset', expect.stringMatching(/^must be at most 10000; .*`after`/)],
    ['offset=99999999999999999999', 'offset', expect.stringContaining('`after`')],
    ['after=A', 'after', 'must be `next` of an earlier page of the same list'],
    [`offset=0&after=${AFTER}`, 'offset', 'must not be given with `after`'],
    [`domain=a.example&slug=s&after=${AFTER}`, 'slug', 'must not be given with `after`'],
  ])('finds one issue in %j', (raw, parameter, detail) => {
    expect(issuesOf(() => query(raw))).toEqual([{ parameter, detail }]);
  });

  it('finds different faults of one parameter', () => {
    expect(issuesOf(() => query(`offset=10001&after=${AFTER}`))).toEqual([
      { parameter: 'offset', detail: 'must not be given with `after`' },
      { parameter: 'offset', detail: expect.stringMatching(/^must be at most 10000; /) },
    ]);
  });
});

describe('The `date` of a lookup', () => {
  const find = (rawQueryString: string) => validated('vehicle-insurance', { rawQueryString });

  it('is a day for which there can be an answer, and optional', () => {
    expect(find('date=2020-02-29')).toEqual({ date: '2020-02-29' });
    expect(find('')).toEqual({});
  });

  it.each([
    ['date=2026-01-01&date=2026-01-01', 'must not be given more than once'],
    ['date=2020-02-30', NO_DAY],
  ])('is otherwise an issue: %s', (query, detail) => {
    expect(issuesOf(() => find(query))).toEqual([{ parameter: 'date', detail }]);
  });
});

describe('The registration of a path', () => {
  const read = (event: object) => {
    const request = httpRequest<{ registration: Registration; input: object }>(event);
    pathParameters(registrationInPath).before(request);
    validation<object>(dateInput).before(request);
    return request.context.registration;
  };

  it('is added to the request context', () => {
    expect(read({ pathParameters: { registration: 'a 1' } })).toEqual({ sent: 'a 1', key: 'A1' });
  });

  it('that is invalid is INVALID_REGISTRATION, or VALIDATION_FAILED together with another issue', () => {
    const invalid = { pathParameters: { registration: '!' } };
    const message = invalidRegistrationSentence('!');
    expect(() => read(invalid)).toThrow(message);
    expect(issuesOf(() => read({ ...invalid, rawQueryString: 'date=x' }))).toEqual([
      { parameter: 'registration', detail: message },
      { parameter: 'date', detail: NO_DAY },
    ]);
  });
});

describe('Reading headers and body', () => {
  const fields = { title: 'T', content: 'C', domain: 'a.example', slug: 's' };
  const create = (headers: object, body: unknown) => validated('create-content', { headers }, body);

  it('returns the declared headers and the body', () => {
    const sent = create({ 'idempotency-key': 'k-1', other: 'x' }, fields);
    expect(sent).toEqual({ headers: { 'Idempotency-Key': 'k-1' }, body: fields });
    expect(create({}, fields)).toStrictEqual({ headers: {}, body: fields });
  });

  const BLANK = /that is not blank$/;
  it.each([
    ['title', 'half \ud83d of a pair', /^must not contain U\+D83D, which is character 6$/],
    ['title', '🚗\ufffd', /^must not contain U\+FFFD, which is character 2$/],
    ['title', '🚗'.repeat(201), /^must be a text of 1 to 200 characters/],
    ['title', '\u200b\u2060 \ufeff\u00ad', BLANK],
    ['content', '', BLANK],
    ['content', 'line\r\n\u000bline', /^must not contain U\+000B, which is character 7$/],
    ['content', `${'é'.repeat(50_000)}x`, /^must be at most 100,000 bytes of UTF-8, not 100001$/],
    ['meta_description', '\u0085', /^must not contain U\+0085, which is character 1$/],
    ['meta_description', null, /^must be a string$/],
    ['meta_description', 'x'.repeat(501), /^must be a text of at most 500 characters/],
    ['domain', undefined, /^is required$/],
    ['domain', 'a'.repeat(254), /at most 253 characters$/],
    ['domain', 'a..b', /labels joined by dots/],
    // Too long and of the wrong form: one issue.
    ['slug', '-'.repeat(201), /at most 200 characters$/],
    // Too long and with a character that is not allowed: one issue, which names the character.
    ['meta_description', `\u0085${'x'.repeat(500)}`, /^must not contain U\+0085, which is character 1$/],
    ['slug', 'a--b', /single hyphens/],
    ['slug', 'a\n', /single hyphens/],
    ['id', 'mine', /^is not a field of this request$/],
  ])('finds what is wrong with a %s: %j', (field, text, detail) => {
    const sent = JSON.parse(JSON.stringify({ ...fields, [field]: text }));
    const issues = issuesOf(() => create({}, sent));
    expect(issues).toEqual([{ pointer: `/${field}`, detail: expect.stringMatching(detail) }]);
  });

  it('finds the same fault in several fields, and writes names as JSON Pointers', () => {
    const pointers = (body: unknown) => issuesOf(() => create({}, body));
    const missing = ['title', 'content', 'domain', 'slug'].map((name) => ({
      pointer: `/${name}`,
      detail: 'is required',
    }));
    expect(pointers({})).toEqual(missing);
    const detail = 'is not a field of this request';
    expect(pointers({ ...fields, 'a/b~c': 1, d: 1 })).toEqual([
      { pointer: '/a~1b~0c', detail },
      { pointer: '/d', detail },
    ]);
    expect(issuesOf(() => validated('bulk-insurance', {}, { registrations: [] }))).toEqual([
      { pointer: '/registrations', detail: 'must have 1 or more entries' },
    ]);
  });
});

it('An update must have a field that a caller can change', () => {
  const update = (body: unknown) => validated('update-content', {}, body);
  expect(update({ slug: 's', id: 'ignored' })).toMatchObject({ body: { slug: 's' } });
  const detail = 'must have at least one of title, content, domain, slug, meta_description';
  expect(issuesOf(() => update({ id: 'ignored' }))).toEqual([{ pointer: '', detail }]);
});

it('The issues of a field are found by its name as a JSON Pointer', () => {
  const schema = T.Object({ 'a/b~c': T.String({ maxLength: 1, description: 'one character' }) });
  const issues = (value: object) => validationIssues(schema, value);
  expect(issues({ 'a/b~c': 'xx' })).toEqual([{ pointer: '/a~1b~0c', detail: 'must be one character' }]);
  expect(issues({})).toEqual([{ pointer: '/a~1b~0c', detail: 'is required' }]);
});

describe('A bulk request', () => {
  type BulkRequest = { caller: Caller; entryCount: number };
  const entries = (count: number) => ({ registrations: Array(count).fill('A1') });
  const check = (body: unknown) => () => {
    const request = httpRequest<BulkRequest>({ body }, { caller: { plan: { requestsPerWindow: 1, bulkSize: 100 } } });
    largestBulkSize().before(request);
    return request;
  };

  it('is BULK_TOO_LARGE before validation with more entries than any plan can allow', () => {
    expect(check(entries(1_000))).not.toThrow();
    expect(check(entries(1_001))).toThrow(bulkTooLarge(1_001, 100));
    for (const body of [{ registrations: 'A1' }, {}, null, 'text', undefined]) {
      expect(check(body)().context.entryCount).toBe(0);
    }
  });

  it('is BULK_TOO_LARGE after validation with more entries than the plan allows', () => {
    const compare = (count: number) => () => planBulkSize().before(check(entries(count))());
    expect(compare(100)).not.toThrow();
    expect(compare(101)).toThrow(bulkTooLarge(101, 100));
  });
});

describe('A query parameter that the endpoint does not take', () => {
  const find = (id: EndpointId, rawQueryString: string) => issuesOf(() => validated(id, { rawQueryString }));
  const taken = 'is not a parameter of this endpoint, which takes';
  const noneTaken = `${taken} no query parameters`;

  it.each<[EndpointId, string, string, string]>([
    ['vehicle-insurance', 'Date=2026-01-01', 'Date', 'must be written "date"'],
    ['vehicle-insurance', 'date=2026-01-01&DATE=2026-01-01', 'DATE', 'must be written "date"'],
    ['vehicle-insurance', 'limit=5', 'limit', `${taken} date`],
    ['list-content', 'Limit=5', 'Limit', 'must be written "limit"'],
    ['list-content', 'date=2026-01-01', 'date', `${taken} domain, slug, limit, offset, after`],
    ['compliance', 'date=2026-01-01', 'date', noneTaken],
    ['compliance', 'slug=a&slug=b', 'slug', noneTaken],
    ['usage', 'OFFSET=1', 'OFFSET', noneTaken],
  ])(
    'is an issue when another endpoint takes it, or this one in another case: %s?%s',
    (id, query, parameter, detail) => {
      expect(find(id, query)).toEqual([{ parameter, detail }]);
    },
  );

  it('is ignored when the API does not know it', () => {
    expect(validated('list-content', { rawQueryString: 'utm_source=x&dates=1&_=2&' })).toEqual({ query: {} });
    expect(validated('usage', { rawQueryString: 'since=1' })).toEqual({});
  });

  it('is known from the inputs of all endpoints', () => {
    const names = Object.values(documents).flatMap(({ query }) => Object.keys(query?.properties ?? {}));
    expect(QUERY_PARAMETERS.toSorted()).toEqual([...new Set(names)].toSorted());
  });
});

it('The date of a bulk request must be a day for which there can be an answer', () => {
  const issuesOn = (date: string) => issuesOf(() => validated('bulk-insurance', {}, { registrations: ['A1'], date }));
  expect(issuesOn('2020-02-29')).toBeUndefined();
  expect(issuesOn('2020-02-30')).toEqual([{ pointer: '/date', detail: NO_DAY }]);
});

const JSON_TYPE = 'application/json';
const base64 = (bytes: string | readonly number[]) => Buffer.from(bytes as string).toString('base64');

/** The body after the checks, as the parser gets it. */
const checked = (body: unknown, contentType: string | undefined = JSON_TYPE, isBase64Encoded?: boolean) => {
  const headers = { ...(contentType !== '' && { 'Content-Type': contentType }) };
  const request = httpRequest({ body, headers, isBase64Encoded });
  void bodyChecks().before(request);
  return request.event.body;
};

describe('The body of a request', () => {
  it.each([
    JSON_TYPE,
    'Application/JSON',
    ' application/json ; charset=utf-8',
    'application/json;charset = "UTF-8"',
    'application/json; charset=utf-8; q=1',
    'application/json; xcharset=latin1',
    'application/json; charsets=latin1',
    'application/json; profile="a;charset=latin1"',
    'application/json; profile="\\";charset=latin1"; charset="utf-8"',
  ])('is accepted with the Content-Type %j', (type) => expect(checked('{}', type)).toBe('{}'));

  it.each([
    '',
    'text/plain',
    'application/merge-patch+json',
    'application/json; charset=latin1',
    'application/json; charset=utf-80',
    'application/json; charset=xutf-8',
    'application/json; charset="utf-8',
    'application/json; charset="utf-8;"',
    'application/json; profile="a"; charset=latin1',
    'application/json; charset',
    'application/json; charset  =latin1',
    'application/json; charset=utf-8; CHARSET=latin1',
  ])('is rejected with the Content-Type %j', (type) =>
    expect(() => checked('{}', type)).toThrow(unsupportedContentType()),
  );

  it('is rejected when it is missing, or base64-encoded without being UTF-8', () => {
    expect(checked(base64('{"é":1}'), JSON_TYPE, true)).toBe(base64('{"é":1}'));
    expect(checked(base64([0x22, 0xff, 0x22]), JSON_TYPE, false)).toBe(base64([0x22, 0xff, 0x22]));
    expect(() => checked(base64([0x22, 0xff, 0x22]), JSON_TYPE, true)).toThrow(malformedJson());
    expect(() => checked(undefined)).toThrow(malformedJson());
  });

  it('is rejected with more than 1,000,000 decoded bytes', () => {
    const tooLarge = bodyTooLarge(1_000_001, 1_000_000);
    expect(checked('é'.repeat(500_000))).toHaveLength(500_000);
    expect(() => checked(`${'é'.repeat(500_000)}x`)).toThrow(tooLarge);
    expect(checked(base64('x'.repeat(1_000_000)), JSON_TYPE, true)).toBeDefined();
    expect(() => checked(base64('x'.repeat(1_000_001)), JSON_TYPE, true)).toThrow(tooLarge);
  });
});

describe('An error of the body parser', () => {
  const caused = (cause: unknown) => bodyParserError(new Error('', { cause }));
  const forbidden = [{ pointer: '', detail: 'must not have the key "__proto__"' }];

  it('becomes MALFORMED_JSON, or VALIDATION_FAILED that names the forbidden key', () => {
    const parser = { package: '@middy/http-json-body-parser' };
    expect(caused({ ...parser, data: '{', message: 'Unexpected end' })).toEqual(malformedJson());
    const recursion = 'Maximum call stack size exceeded';
    expect(caused({ ...parser, data: '[', message: recursion })).toEqual(nestedTooDeeply());
    expect(caused({ ...parser, data: '__proto__' })).toEqual(validationFailed(forbidden));
    expect(caused({ ...parser, data: '__proto__' })?.issues).toEqual(forbidden);
  });

  it('is undefined for any other error', () => {
    for (const error of [caused({ package: '@middy/core' }), caused(undefined), bodyParserError('text')]) {
      expect(error).toBeUndefined();
    }
  });
});
