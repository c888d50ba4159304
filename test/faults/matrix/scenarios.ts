import assert from 'node:assert/strict';
import { fallback } from '../../../functions/endpoints.ts';
import { contentScenarios } from './content-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { vehicleScenarios } from './vehicle-scenarios.ts';

const unknownPath: Scenario = {
  name: 'unknown path',
  endpoint: fallback.route,
  prepare: async (api, word) => {
    const key = await api.newKey({ name: word });
    return {
      key,
      status: 404,
      send: () => api.call('GET', `/v1/${word}`, { key }),
      requireExpected: ({ body }) => assert.partialDeepStrictEqual(body, { code: 'ROUTE_NOT_FOUND' }),
      isStored: async () => false,
      requireWhole: async () => undefined,
    };
  },
};

/** A request to every endpoint, in every way in which it uses the database. */
export const scenarios: readonly Scenario[] = [...vehicleScenarios, ...contentScenarios, unknownPath];
