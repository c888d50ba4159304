import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { aCompliance, aPolicy, aVehicle, NOON, suppliedByThree } from '../../support/records.ts';
import { failure, runAdminCommand } from '../../support/use-admin.ts';
import { useApi } from '../../support/use-api.ts';

const lapsed = aPolicy({ number: 'OLD', validFrom: '2025-01-01', validTo: '2026-06-14', type: 'A\u009b2J' });
const next = aPolicy({ number: 'NEXT', validFrom: '2026-06-16' });
const api = useApi(async ({ loadVehicles, loadCompliance, engine: { client, names } }) => {
  await loadVehicles(aVehicle('AB12CDE', [aPolicy(), lapsed]), aVehicle('LAPSED', [lapsed, next]));
  await loadVehicles(suppliedByThree(aVehicle('SHARED', [lapsed, next])));
  await loadVehicles(aVehicle('FUTURE', [next]), aVehicle('HALF'), aVehicle('NONE', []));
  const due = { mot: { dueDate: '2026-06-14' }, roadTax: { sorn: true }, fines: { outstanding: 2 } } as const;
  const mot = { dueDate: '2026-12-01', lastUpdated: '2026-06-15T00:00:00.000Z' };
  await loadCompliance(aCompliance('AB12CDE', { mot }), aCompliance('LAPSED', due));
  await loadVehicles(aVehicle('PART'), aVehicle('EMPTY'));
  await loadCompliance({ registration: 'PART', roadTax: { sorn: true } }, { registration: 'EMPTY' });
  const exempt = { mot: { exempt: true }, roadTax: { exempt: true } } as const;
  await loadCompliance(aCompliance('FUTURE', exempt), aCompliance('ORPHAN'), aCompliance('DAMAGED'));
  const damage = (TableName: string, Item: object) => client.send(new PutCommand({ TableName, Item: { ...Item } }));
  await damage(names.vehicles, { ...aVehicle('DAMAGED'), policies: 'none' });
  await damage(names.compliance, { ...aCompliance('HALF'), mot: 'none' });
  await damage(names.compliance, { ...aCompliance('STRAY'), mot: 'none' });
});

const lookUp = (...args: string[]) =>
  runAdminCommand(['lookup', ...args, '--dynamodb', api.engine.endpoint], api.engine.names, { now: new Date(NOON) });

describe('lookup', () => {
  it.each(['ab12%20cde', 'LAPSED', 'FUTURE', 'NONE', 'HALF', 'ORPHAN', 'DAMAGED', 'PART', 'EMPTY', 'STRAY', 'AB1OCDE'])(
    'returns the answers of the API: %s',
    async (registration) => {
      const answerOf = async (path: string) => {
        const { status, body } = await api.call('GET', path, { key: api.key });
        const { code, detail, suggestion } = body as Record<string, unknown>;
        if (status === 200) return { status, body };
        return { status, error: { code, detail, ...(suggestion !== undefined && { suggestion }) } };
      };
      const { answers } = JSON.parse((await lookUp(decodeURIComponent(registration), '--json')).stdout);
      expect(answers).toEqual({
        insurance: await answerOf(`/v1/vehicle/${registration}/insurance`),
        compliance: await answerOf(`/v1/compliance/${registration}`),
      });
    },
  );

  it('is VEHICLE_NOT_FOUND, as in bulk, for an unknown vehicle with a damaged compliance record', async () => {
    const code = 'VEHICLE_NOT_FOUND';
    const call = { key: api.key, json: { registrations: ['STRAY'] } };
    const bulk = await api.call('POST', '/v1/vehicle/bulk-compliance', call);
    expect(bulk.body).toMatchObject({ results: [{ code }] });
    const { answers } = JSON.parse((await lookUp('STRAY', '--json')).stdout);
    expect(answers.compliance).toMatchObject({ status: 404, error: { code } });
  });

  it('returns a list for several vehicles, and says which registration is invalid before anything is read', async () => {
    const { stdout } = await lookUp('LAPSED', 'ab12 cde', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ registration: 'LAPSED' }, { registration: 'AB12CDE' }]);
    const pages = /^Registration {2}LAPSED\n[\s\S]*\n\nRegistration {2}AB12CDE\n/;
    expect((await lookUp('LAPSED', 'ab12 cde')).stdout).toMatch(pages);
    expect(await lookUp('LAPSED', 'A_B')).toEqual(failure('error: the registration A_B contains "_" (U+005F)'));
  });

  it('answers for the day that --date names, as the API does', async () => {
    const { answers } = JSON.parse((await lookUp('LAPSED', '--date', '2026-06-16', '--json')).stdout);
    const { status, body } = await api.call('GET', '/v1/vehicle/LAPSED/insurance?date=2026-06-16', { key: api.key });
    expect(answers.insurance).toEqual({ status, body });
    const { stdout } = await lookUp('LAPSED', '--date', '2026-06-16');
    expect(stdout).toContain('The API       insurance on 2026-06-16, compliance on 2026-06-15\ninsurance     insured');
    const sentence = 'Write a day from 1900-01-01 to 2099-12-31, written YYYY-MM-DD';
    expect(await lookUp('LAPSED', '--date', '2026-06-31')).toEqual(failure(sentence));
  });

  it('returns what is stored', async () => {
    const stored = async (...args: string[]) => JSON.parse((await lookUp(...args, '--json')).stdout).stored;
    const found = { vehicle: { policies: [next] }, compliance: { mot: { exempt: true } } };
    expect(await stored('FUTURE')).toMatchObject(found);
    expect(await stored('ORPHAN')).toEqual({ vehicle: null, compliance: aCompliance('ORPHAN'), erased: null });
    expect(await stored('DAMAGED')).toEqual({ vehicle: null, compliance: aCompliance('DAMAGED'), erased: null });
  });

  it('shows who has supplied each policy, and what each supplier says of the vehicle', async () => {
    const lines = (await lookUp('SHARED')).stdout.split('\n').slice(4, 14);
    const suppliers = ['without a name', 'acme', 'zeta'].map((name) => [
      `Supplier      ${name}: 2026-01-02T03:04:05.000Z, 164 days ago`,
      '              Škoda Octavia, 2021, Green',
    ]);
    expect(lines).toEqual([
      'Policy        NEXT, 2026-06-16 to 2026-12-31',
      '              Comprehensive; insurer: Acme Mutual',
      '              supplied by acme',
      'Last updated  2026-01-02T03:04:05.000Z, 164 days ago',
      ...suppliers.flat(),
    ]);
    const { stored } = JSON.parse((await lookUp('SHARED', '--json')).stdout);
    expect(stored.vehicle).toEqual(suppliedByThree(aVehicle('SHARED', [lapsed, next])));
  });

  it('shows a page of at most 80 columns without control characters, which it escapes in JSON', async () => {
    const { exitCode, stdout, stderr } = await lookUp('AB12 CDE');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'Registration  AB12CDE',
      'Vehicle       Škoda Octavia, 2021, Green',
      'Policy        POL-1, 2026-01-01 to 2026-12-31',
      '              Comprehensive; insurer: Acme Mutual',
      'Policy        OLD, 2025-01-01 to 2026-06-14',
      '              A\ufffd2J; insurer: Acme Mutual',
      'Last updated  2026-01-02T03:04:05.000Z, 164 days ago',
      'MOT           until 2026-12-01',
      '              last updated 2026-06-15T00:00:00.000Z, less than a day ago',
      'Road tax      until 2026-12-01',
      '              last updated unknown',
      'Unpaid fines  0',
      '              last updated unknown',
      '',
      'The API       on 2026-06-15',
      'insurance     insured',
      '              policy POL-1 is in force until 2026-12-31',
      'compliance    compliant',
      '',
    ]);
    const json = await lookUp('AB12CDE', '--json');
    expect(json.stdout).toContain('A\\u009B2J');
    expect(json.stdout).not.toContain('\u009b');
  });

  it.each([
    ['LAPSED', 'not insured', 'policy OLD ended on 2026-06-14'],
    ['FUTURE', 'not insured', 'policy NEXT begins on 2026-06-16'],
    ['NONE', 'not insured', 'no policy is stored'],
    ['AB1OCDE', '404 VEHICLE_NOT_FOUND, perhaps AB10CDE is meant', 'No vehicle with this registration'],
    ['LAPSED', 'not compliant', 'INSURANCE_LAPSED, MOT_EXPIRED, SORN, FINES_OUTSTANDING'],
    ['PART', 'not compliant', 'MOT_UNKNOWN, SORN, FINES_UNKNOWN'],
    ['PART', 'unknown', 'SORN'],
    ['NONE', 'none is stored', ''],
    ['EMPTY', 'none is stored', ''],
    ['EMPTY', '404 COMPLIANCE_NOT_FOUND', ''],
    ['HALF', '500 INTERNAL_ERROR', 'The service could not answer'],
    ['HALF', 'the stored record is damaged; remove it, then load it again', ''],
  ])('says why: %s is %s', async (registration, answer, reason) => {
    const lines = (await lookUp(registration)).stdout.split('\n');
    const texts = lines.map((line) => line.slice(14));
    expect(texts[texts.indexOf(answer) + 1]?.slice(0, reason.length)).toEqual(reason);
    expect(texts).toContain(answer);
    expect(lines.filter(({ length }) => length > 80)).toEqual([]);
  });
});
