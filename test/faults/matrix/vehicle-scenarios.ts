import assert from 'node:assert/strict';
import { aCompliance, aPolicy, aVehicle } from '../../support/records.ts';
import { readOnly, type Scenario } from './scenario.ts';

/** Registrations of a bulk request: one more than one batch takes. */
export const BULK_SIZE = 102;

/** The registrations of a bulk request. */
export const bulkRegistrations = (word: string): string[] =>
  Array.from({ length: BULK_SIZE }, (_, index) => `${word}${index}`);

const insured = (word: string) => aVehicle(word.toUpperCase(), [aPolicy({ number: word })]);

export const vehicleScenarios: readonly Scenario[] = [
  {
    name: 'insurance',
    endpoint: 'vehicle-insurance',
    prepare: async (api, word) => {
      const key = await api.newKey({ name: word });
      await api.loadVehicles(insured(word));
      return {
        ...readOnly,
        key,
        status: 200,
        send: () => api.call('GET', `/v1/vehicle/${word}/insurance`, { key }),
        requireExpected: ({ body }) =>
          assert.partialDeepStrictEqual(body, { registration: word, insured: true, policy: { number: word } }),
      };
    },
  },
  {
    name: 'bulk insurance',
    endpoint: 'bulk-insurance',
    prepare: async (api, word) => {
      const key = await api.newKey({ name: word });
      const registrations = bulkRegistrations(word);
      await api.loadVehicles(...registrations.map(insured));
      return {
        ...readOnly,
        key,
        status: 200,
        send: () => api.call('POST', '/v1/vehicle/bulk-insurance', { key, json: { registrations } }),
        requireExpected: ({ body }) => {
          assert.partialDeepStrictEqual(body, { processed: BULK_SIZE, successful: BULK_SIZE, failed: 0 });
          const { results } = body as { results: { registration: string; policy: { number: string } }[] };
          assert.deepEqual(
            results.map(({ registration, policy }) => [registration, policy.number]),
            registrations.map((registration) => [registration, registration]),
          );
        },
      };
    },
  },
  {
    name: 'compliance',
    endpoint: 'compliance',
    prepare: async (api, word) => {
      const key = await api.newKey({ name: word });
      await api.loadVehicles(insured(word));
      await api.loadCompliance(aCompliance(word.toUpperCase()));
      return {
        ...readOnly,
        key,
        status: 200,
        send: () => api.call('GET', `/v1/compliance/${word}`, { key }),
        requireExpected: ({ body }) =>
          assert.partialDeepStrictEqual(body, { registration: word, compliant: true, reasons: [] }),
      };
    },
  },
];
