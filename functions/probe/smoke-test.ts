import { randomUUID } from 'node:crypto';
import { checkedRequests, SMOKE_TEST_TIMEOUT_MS } from './checked-requests.ts';
import type { ProbeKey } from './probe-key.ts';

/** Sandbox vehicles (docs/sample-data.md): insured and compliant; without a policy; unknown. */
const INSURED = 'AB12CDE';
const WITHOUT_POLICY = 'KR08NIL';
const UNKNOWN = 'ZZ99ZZZ';
/** Enough registrations for a response that is compressed: `fetch` accepts gzip. */
const REGISTRATIONS = [INSURED, WITHOUT_POLICY, UNKNOWN, ...Array<string>(20).fill(INSURED)];

const INSURANCE = { registration: INSURED, insured: true, policy: {} };
const VERDICT = { registration: INSURED, compliant: true, reasons: [] };
const NOT_FOUND = { registration: UNKNOWN, code: 'VEHICLE_NOT_FOUND' };

/** The one domain of the probe's content. */
const DOMAIN = 'probe.example';
const CONTENT = '/v1/api/content';

/** The fields of a content item that the smoke test reads. */
interface Item {
  readonly id: string;
  readonly created_at: string;
}

type Requests = ReturnType<typeof checkedRequests>;

/** Makes lookups and bulk requests, each even if the one before fails. */
const lookUp = async ({ request }: Requests, { id }: ProbeKey): Promise<void> => {
  await request(`GET /v1/vehicle/${INSURED}/insurance`, { status: 200, body: INSURANCE });
  await request('POST /v1/vehicle/bulk-insurance', {
    json: { registrations: REGISTRATIONS },
    status: 200,
    body: {
      results: [INSURANCE, { registration: WITHOUT_POLICY, insured: false, policy: null }, NOT_FOUND],
      processed: REGISTRATIONS.length,
      successful: REGISTRATIONS.length - 1,
      failed: 1,
    },
  });
  await request(`GET /v1/compliance/${INSURED}`, { status: 200, body: VERDICT });
  await request('POST /v1/vehicle/bulk-compliance', {
    json: { registrations: REGISTRATIONS },
    status: 200,
    body: {
      results: [VERDICT, { registration: WITHOUT_POLICY, checks: { insuranceValid: false } }, NOT_FOUND],
      processed: REGISTRATIONS.length,
    },
  });
  await request('GET /v1/usage', { status: 200, body: { key: { id } } });
};

/** The ids of items that earlier runs left behind: those older than the longest run. */
const listLeftovers = async ({ request }: Requests, now: Date): Promise<readonly string[] | undefined> => {
  const step = { status: 200, body: { items: [], limit: 20, offset: 0 } };
  const page = await request(`GET ${CONTENT}?domain=${DOMAIN}`, step);
  return (page as { items: readonly Item[] } | undefined)?.items
    .filter(({ created_at }) => now.getTime() - Date.parse(created_at) > SMOKE_TEST_TIMEOUT_MS)
    .map(({ id }) => id);
};

/** Deletes the items that earlier runs left behind. @returns whether none is left; only then may the run create more */
const deleteLeftovers = async (requests: Requests, now: Date): Promise<boolean> => {
  const ids = await listLeftovers(requests, now);
  if (ids === undefined || ids.length === 0) return ids !== undefined;
  for (const id of ids) if (!(await requests.request(`DELETE ${CONTENT}/${id}`, { status: 204 }))) return false;
  const leftovers = await listLeftovers(requests, now);
  if (leftovers !== undefined && leftovers.length > 0)
    requests.failures.push(`DELETE ${CONTENT}/{id}: items that were deleted are still listed`);
  return leftovers?.length === 0;
};

/** Creates an item, reads, updates and lists it, and deletes it even if one of these fails. */
const changeContent = async ({ request }: Requests): Promise<void> => {
  const fields = { title: 'Probe', content: 'Written by the probe.', domain: DOMAIN, slug: `probe-${randomUUID()}` };
  const created = await request(`POST ${CONTENT}`, {
    json: fields,
    status: 201,
    body: { ...fields, version: 1 },
    headers: { location: /^\/v1\/api\/content\/./, etag: '"1"' },
  });
  if (created === undefined) return;
  const { id, created_at } = created as Item;
  const item = `${CONTENT}/${id}` as const;
  // Only fields that every version has: the next response may come from a version that lacks the newest fields.
  const original = { ...fields, id, created_at, version: 1 };
  await request(`GET ${item}`, { status: 200, body: original, headers: { etag: '"1"' } });
  const title = 'Probe, updated';
  const changed = { ...original, title, version: 2 };
  const headers = { etag: '"2"' };
  const updated = await request(`PUT ${item}`, { json: { title }, status: 200, body: changed, headers });
  const listed = updated === undefined ? { id } : changed;
  await request(`GET ${CONTENT}?domain=${DOMAIN}`, { status: 200, body: { items: [listed] } });
  await request(`DELETE ${item}`, { status: 204 });
};

/**
 * Uses every endpoint as a caller does. It also watches the rollout of the next version, so it expects only what the
 * contract promises and the outcomes in docs/sample-data.md, but no other field of the sandbox or of its key.
 * @returns a sentence for each unexpected response
 */
export const smokeTest = async (origin: string, key: ProbeKey, now: Date): Promise<readonly string[]> => {
  const requests = checkedRequests(origin, key.key);
  await lookUp(requests, key);
  if (await deleteLeftovers(requests, now)) await changeContent(requests);
  return requests.failures;
};
