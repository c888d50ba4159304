import type { Api, Call } from './api.ts';
import { type Check, refuses, succeeds } from './check.ts';

const PATH = '/v1/vehicle/bulk-insurance';

const verify = ({ call }: Api, registrations: unknown) => call('POST', PATH, { json: { registrations } });

const isRefused = (name: string, call: Call, code: string, more: object = {}): Check => ({
  name: `bulk, ${name}: 400`,
  run: async (api) => refuses(await api.call('POST', PATH, call), 400, code, more),
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Bytes, a little over what a body may have. */
const TOO_LARGE = 1_000_100;
/** One more than the premium plan allows. */
const TOO_MANY = 1_001;

/** Many vehicles in one request, and every way in which a body is refused. */
export const bulkChecks: readonly Check[] = [
  {
    name: 'bulk: one result per entry, in order, duplicates included',
    run: async (api) =>
      succeeds(await verify(api, ['AB12 CDE', 'DG65OLD', 'ZZ99ZZZ', '!', 'AB12 CDE']), {
        processed: 5,
        successful: 3,
        failed: 2,
        results: [
          { registration: 'AB12 CDE', insured: true },
          { registration: 'DG65OLD', insured: false },
          { registration: 'ZZ99ZZZ', insured: false, code: 'VEHICLE_NOT_FOUND' },
          { registration: '!', insured: false, code: 'INVALID_REGISTRATION' },
          { registration: 'AB12 CDE', insured: true },
        ],
      }),
  },
  {
    name: 'bulk: 250 different registrations in one request',
    run: async (api) =>
      succeeds(
        await verify(
          api,
          Array.from({ length: 250 }, (_, index) => (index === 249 ? 'AB12CDE' : `Z${index}`)),
        ),
        { processed: 250, successful: 1, failed: 249 },
      ),
  },
  isRefused('an empty list', { json: { registrations: [] } }, 'VALIDATION_FAILED', {
    errors: [{ pointer: '/registrations' }],
  }),
  isRefused('a missing field', { json: {} }, 'VALIDATION_FAILED', { errors: [{ pointer: '/registrations' }] }),
  isRefused('an entry that is no text', { json: { registrations: ['A1', 7] } }, 'VALIDATION_FAILED', {
    errors: [{ pointer: '/registrations/1' }],
  }),
  isRefused('more than the plan allows', { json: { registrations: Array(TOO_MANY).fill('A1') } }, 'BULK_TOO_LARGE'),
  isRefused('no JSON', { raw: '{', headers: JSON_TYPE }, 'MALFORMED_JSON'),
  isRefused('another type', { raw: '{}', headers: { 'Content-Type': 'text/plain' } }, 'UNSUPPORTED_CONTENT_TYPE'),
  ...['application/merge-patch+json', 'application/json; charset=utf-16'].map((type) =>
    isRefused(type, { raw: '{}', headers: { 'Content-Type': type } }, 'UNSUPPORTED_CONTENT_TYPE'),
  ),
  isRefused('a prototype key', { raw: '{"__proto__":{}}', headers: JSON_TYPE }, 'VALIDATION_FAILED'),
  isRefused('over 1 MB', { raw: `"${'x'.repeat(TOO_LARGE)}"`, headers: JSON_TYPE }, 'BODY_TOO_LARGE'),
];
