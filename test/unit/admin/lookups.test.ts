/** The command `lookups`: who has looked a vehicle up, from CloudWatch Logs Insights and from files. */
import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { sharedEndpoint } from '../../support/engine.ts';
import { type CommandOptions, failure, runAdminCommand, useAdmin } from '../../support/use-admin.ts';
import { tableOutputs, useAwsServer } from '../../support/use-aws-server.ts';

const STACK = 'vehicle-verification-prod';
const PLATE = 'AB12CDE';
const [ACME, OLD, OTHER] = ['a', 'b', 'c'].map((digit) => digit.repeat(20)) as [string, string, string];
const DAYS = ['--from', '2026-11-01', '--to', '2026-11-20'];

const { engine, proxy, file, run, store } = useAdmin();
const aws = useAwsServer();

const hmac = (secret: string | Buffer, text: string): Buffer => createHmac('sha256', secret).update(text).digest();
/** As the documentation has it. The KMS key of these tests is the text `kms`, that of the local service `local`. */
const hashOf = (month: string, keyId: string, registration = PLATE, kmsKey = 'kms'): string =>
  hmac(hmac(kmsKey, month), keyId + registration)
    .toString('base64url')
    .slice(0, 16);

const INSURANCE = { _aws: {}, endpoint: 'vehicle-insurance' };
const CASE = { endpoint: 'compliance', reference: 'case-4711' };
const lineAt = (timestamp: string, keyId: string, lookups: string, fields: object = {}): string =>
  JSON.stringify({ ...INSURANCE, timestamp, requestId: `r-${timestamp}`, keyId, ...fields, lookups });

const LINES = [
  lineAt('2026-10-31T23:59:59.000Z', ACME, `${hashOf('2026-10', ACME)}T`),
  // A request of October, whose line was written in November.
  lineAt('2026-11-01T00:00:02.000Z', ACME, `${hashOf('2026-10', ACME)}F`, { asOf: '2020-01-01', reference: 'late' }),
  lineAt('2026-11-02T10:00:00.000Z', ACME, `${hashOf('2026-11', ACME, 'XY1')}T ${hashOf('2026-11', ACME)}N`),
  lineAt('2026-11-03T10:00:00.000Z', OLD, `${hashOf('2026-11', OLD)}T`, CASE),
  lineAt('2026-11-03T11:00:00.000Z', OTHER, `${hashOf('2026-11', OTHER, 'XY1')}T`),
  lineAt('2026-11-20T23:59:59.999Z', OTHER, `${hashOf('2026-11', OTHER)}U`),
  lineAt('2026-11-21T00:00:00.000Z', OTHER, `${hashOf('2026-11', OTHER)}T`),
];

type Input = Readonly<Record<string, unknown>>;
let requests: { readonly operation: string; readonly input: Input }[];
/** Answers of `GetQueryResults` before a query is complete. */
let pending: object[];
/** An error in place of the answer to an operation, by its name. */
let errors: Record<string, string>;

/** The part of Logs Insights that the command uses. */
const queryRows = (lines: readonly string[], { queryString, startTime, endTime }: Input) => {
  const text = String(queryString);
  const pattern = new RegExp(/parse @message \/(.+?)\/ \|/.exec(text)?.[1] ?? '$^');
  const reference = /filter reference = "(.*?)"/.exec(text)?.[1];
  return lines.flatMap((line) => {
    const { timestamp, lookups, _aws, ...fields } = JSON.parse(line) as Record<string, string>;
    const seconds = Date.parse(String(timestamp)) / 1_000;
    const found = pattern.exec(line)?.groups;
    const isInTime = seconds >= Number(startTime) && seconds < Number(endTime) + 1;
    if (!found || !isInTime || (reference !== undefined && fields.reference !== reference)) return [];
    const shown = { '@timestamp': String(timestamp).replace('T', ' ').replace('Z', ''), ...fields, ...found };
    const asked = ['hash', 'answer', ...(/^fields (.*?) \|/.exec(text)?.[1]?.split(', ') ?? [])];
    const entries = Object.entries(shown).filter(([field]) => asked.includes(field));
    return [entries.map(([field, value]) => ({ field, value }))];
  });
};

beforeEach(async () => {
  [requests, pending, errors] = [[], [], {}];
  aws.answerWith((operation, input) => {
    requests.push({ operation, input });
    const code = errors[operation];
    if (code !== undefined) return { status: 400, code, message: 'no' };
    if (operation === 'GenerateMac') {
      return { Mac: hmac('kms', Buffer.from(String(input.Message), 'base64').toString()).toString('base64') };
    }
    if (operation === 'StartQuery') return { queryId: String(requests.length - 1) };
    if (operation !== 'GetQueryResults') return operation === 'StopQuery' ? { success: true } : undefined;
    const results = queryRows(LINES, requests[Number(input.queryId)]?.input ?? {});
    return pending.shift() ?? { status: 'Complete', results, statistics: { recordsScanned: 5_000 } };
  });
  aws.stacks[STACK] = {
    ...tableOutputs(engine().names),
    LookupLogSettings: JSON.stringify({
      key: 'arn:aws:kms:eu-west-2:123456789012:key/1',
      logGroups: ['single', 'bulk'],
      retentionDays: 90,
      endpoints: { kms: 'https://kms.invalid', logs: 'https://logs.invalid' },
    }),
  };
  Object.assign(process.env, aws.environmentWith(proxy().endpoint));
  const key = { hash: 'h', plan: 'free', scopes: [], createdAt: '2026-01-01T00:00:00.000Z' };
  await store('keys', { ...key, id: ACME, name: 'Acme' }, { ...key, id: OTHER, name: 'Other' });
  await store('keys', { ...key, id: OLD, name: 'Old', revokedAt: '2026-11-10T00:00:00.000Z' });
});

const onStack = (args: readonly string[], options: CommandOptions = {}) =>
  runAdminCommand(['lookups', ...args, '--stack', STACK, '--region', 'eu-west-2'], engine().names, {
    env: { AWS_ENDPOINT_URL: aws.endpoint },
    ...options,
  });
const operations = (name: string) => requests.filter(({ operation }) => operation === name).map(({ input }) => input);

describe('From CloudWatch, lookups', () => {
  it('finds the lookups of every key, a revoked one too, with time, key, name, answer and reference', async () => {
    const { stdout, stderr } = await onStack(['ab12 cde', ...DAYS]);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'time (UTC)               key                   name   answer                     reference',
      `2026-11-01 00:00:02.000  ${ACME}  Acme   not insured on 2020-01-01  late`,
      `2026-11-02 10:00:00.000  ${ACME}  Acme   not found`,
      `2026-11-03 10:00:00.000  ${OLD}  Old    compliant                  case-4711`,
      `2026-11-20 23:59:59.999  ${OTHER}  Other  not read`,
      '4 lookups of AB12CDE.',
    ]);
    expect(stderr).toMatch(/Operators' own reads are not among them.*\n.*does not prove that there was none/);
    const lookups = [{}, {}, { keyId: OLD, keyName: 'Old', requestId: 'r-2026-11-03T10:00:00.000Z' }, {}];
    const found = { registration: PLATE, from: '2026-11-01', to: '2026-11-20', lookups };
    expect(JSON.parse((await onStack([PLATE, ...DAYS, '--json'])).stdout)).toMatchObject(found);
  });

  it('finds those with a reference only', async () => {
    const { stdout } = await onStack([PLATE, ...DAYS, '--reference', 'case-4711', '--json']);
    expect(JSON.parse(stdout).lookups).toMatchObject([{ keyId: OLD, reference: 'case-4711' }]);
  });

  it('asks the log groups of all lookups for each month, and reads only ids and names of keys', async () => {
    proxy().reset();
    await onStack([PLATE, '--from', '2026-10-15', '--to', '2026-11-02']);
    const months = operations('GenerateMac').map(({ Message }) => Buffer.from(String(Message), 'base64').toString());
    expect(months).toEqual(['2026-10', '2026-11']);
    const seconds = (time: string) => Date.parse(time) / 1_000;
    expect(operations('StartQuery')).toMatchObject([
      { logGroupNames: ['single', 'bulk'], startTime: seconds('2026-10-15'), endTime: seconds('2026-11-01') + 10 },
      { startTime: seconds('2026-11-01'), endTime: seconds('2026-11-03') },
    ]);
    const [scan, ...others] = proxy().calls.map(({ body }) => JSON.parse(body));
    expect(others).toEqual([]);
    expect(scan).toMatchObject({ Select: 'SPECIFIC_ATTRIBUTES', ProjectionExpression: 'id, #name' });
  });

  it('asks for at most 400 keys in a query', async () => {
    const keys = Array.from({ length: 800 }, (_, index) => ({ id: `${index}`.padStart(20, '0'), name: 'Many' }));
    await store('keys', ...keys);
    expect((await onStack([PLATE, ...DAYS])).stdout).toContain('4 lookups');
    const queries = operations('StartQuery').map(({ queryString }) => String(queryString));
    expect(queries).toHaveLength(6);
    expect(Math.max(...queries.map(({ length }) => length))).toBeLessThan(10_000);
  });

  it('shows how many lines a running query has read', async () => {
    pending = [{ status: 'Scheduled' }, { status: 'Running', statistics: { recordsScanned: 1_200 } }];
    const { exitCode, stderr } = await onStack([PLATE, ...DAYS], { showsProgress: true });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/\r1,200 lines of the log read\r5,000 lines of the log read/);
  });

  it('stops its query when it is interrupted', async () => {
    const interruption = new AbortController();
    pending = Array(100).fill({ status: 'Running' });
    const running = onStack([PLATE, ...DAYS], { signal: interruption.signal });
    while (operations('GetQueryResults').length === 0) await new Promise(setImmediate);
    interruption.abort();
    expect(await running).toMatchObject({ exitCode: 130, stdout: '' });
    expect(operations('StopQuery')).toHaveLength(1);
  });
});

describe('lookups says what is wrong', () => {
  it('when the log of all days has expired, or of some', async () => {
    const sentence = 'the log of these days has expired: its lines stay for 90 days (logRetentionDays)';
    expect(await onStack([PLATE, '--from', '2026-07-01', '--to', '2026-08-01'])).toEqual(failure(sentence));
    const { exitCode, stderr } = await onStack([PLATE, '--from', '2026-08-01', '--to', '2026-11-20']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Lines stay for 90 days: nothing before 2026-08-23T12:00:30.000Z can be found.');
    errors = { StartQuery: 'MalformedQueryException' };
    expect(await onStack([PLATE, ...DAYS])).toEqual(failure(sentence));
  });

  it.each([
    ['GenerateMac', 'AccessDeniedException', 'only the roles in the setting lookupLog.auditors may use it, with'],
    ['GenerateMac', 'DisabledException', 'it is disabled or deleted, see docs/runbook'],
    ['GenerateMac', 'KMSInvalidStateException', 'it is disabled or deleted'],
    ['StartQuery', 'AccessDeniedException', 'denied the query: use credentials with the policy in the output Auditor'],
    ['StartQuery', 'ResourceNotFoundException', 'CloudWatch Logs answered with ResourceNotFoundException'],
  ])('when %s is answered with %s', async (operation, code, sentence) => {
    errors = { [operation]: code };
    const result = await onStack([PLATE, ...DAYS]);
    expect(result).toEqual(failure(sentence));
    if (operation === 'GenerateMac') {
      expect(result.stderr).toContain(`the key of the lookup log cannot be used (${code}): `);
    }
  });

  it('when a query fails, or returns more than all', async () => {
    pending = [{ status: 'Failed' }];
    expect(await onStack([PLATE, ...DAYS])).toEqual(failure('CloudWatch did not complete a query (Failed)'));
    pending = [{ status: 'Complete', results: Array(10_000).fill([]) }];
    expect(await onStack([PLATE, ...DAYS])).toEqual(failure('2026-10 has more lookups than CloudWatch returns'));
  });

  it('when days, a registration, the setting or the file are missing or wrong', async () => {
    expect(await onStack([PLATE])).toEqual(failure('name the days with --from and --to'));
    expect(await onStack([PLATE, '--from', '2026-11-02', '--to', '2026-11-01'])).toEqual(failure('is before --from'));
    expect(await onStack([PLATE, '--from', '2026-02-30', '--to', '2026-11-01'])).toEqual(failure('YYYY-MM-DD'));
    expect(await onStack([PLATE, ...DAYS, '--reference', 'a b'])).toEqual(failure('as the caller has sent it'));
    expect(await onStack(['AB12_CDE', ...DAYS])).toEqual(failure('contains "_"'));
    expect(await run(['lookups', PLATE, ...DAYS])).toEqual(failure('--log FILE'));
    expect(await run(['lookups', PLATE, '--log', 'missing.log'])).toEqual(failure('there is no such file'));
    aws.stacks[STACK] = tableOutputs(engine().names);
    expect(await onStack([PLATE, ...DAYS])).toEqual(failure('no lookups are logged'));
  });
});

describe('From a file, lookups', () => {
  const exported = LINES.map((line) => `${JSON.parse(line).timestamp} ${line}`).join('\n');

  it.each([
    ['lines as functions write them', 'lines.log', LINES.join('\n')],
    ['an export to S3, compressed', '000000.gz', gzipSync(`${exported}\n`)],
    ['other lines among them', 'lines.log', ['START', '{"lookups', '{"lookups":"x"}', ...LINES, ''].join('\n')],
  ])('are found in %s', async (_what, name, content) => {
    const path = await file(name, content);
    const found = async (...args: readonly string[]) =>
      JSON.parse((await onStack([PLATE, '--log', path, '--json', ...args])).stdout).lookups;
    expect(await found()).toHaveLength(6);
    expect(await found(...DAYS)).toMatchObject([
      { keyName: 'Acme', answer: 'not insured', asOf: '2020-01-01', reference: 'late' },
      { time: '2026-11-02T10:00:00.000Z', answer: 'not found' },
      { keyName: 'Old', answer: 'compliant' },
      { keyName: 'Other', answer: 'not read' },
    ]);
    expect(await found('--reference', 'case-4711')).toMatchObject([{ keyId: OLD }]);
    expect(operations('StartQuery')).toEqual([]);
  });

  it('are none in a file without one, and a file of other lines or one that is cut off is an error', async () => {
    for (const content of ['', '{"endpoint":"usage","requestId":"a"}\n']) {
      const { stdout } = await onStack([PLATE, '--log', await file('lines.log', content)]);
      expect(stdout).toMatch(/^0 lookups/);
    }
    const access = await file('access.log', '{"requestId":"a","status":200}\n');
    expect(await onStack([PLATE, '--log', access])).toEqual(failure('no line of the file is one of the log'));
    const cut = await file('cut.gz', gzipSync(`${exported}\n`).subarray(0, 100));
    expect(await onStack([PLATE, '--log', cut])).toEqual(failure('the compressed file is cut off'));
  });

  // DynamoDB Local has no KMS.
  const itWithKms = sharedEndpoint() === undefined ? it : it.skip;

  itWithKms('are found with the secret of the local service, whose key records may be gone', async () => {
    const gone = 'd'.repeat(20);
    const line = lineAt('2026-11-02T10:00:00.000Z', gone, `${hashOf('2026-11', gone, PLATE, 'local')}T`);
    const { stdout } = await run(['lookups', PLATE, '--log', await file('local.log', `${line}\n`), '--json']);
    expect(JSON.parse(stdout).lookups).toMatchObject([{ keyId: gone, keyName: null, answer: 'insured' }]);
  });
});
