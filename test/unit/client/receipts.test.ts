import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { verifyFile } from '../../../client/src/command-line/verify-file.ts';
import { ApiProblem, InvalidReceipt, VehicleVerification } from '../../../client/src/index.ts';
import { readKeySet, readReceipt } from '../../../client/src/receipts.ts';
import { aPolicy } from '../../support/records.ts';
import { claimsOf, makeSigningKey, signToken } from '../../support/signing-key.ts';
import { useFolder } from '../../support/use-folder.ts';

const PATH = '/v1/vehicle/AB12CDE/insurance';
const ANSWER = { registration: 'AB12CDE', insured: true, policy: aPolicy() };
const CLAIMS = claimsOf('GET', PATH, ANSWER);
const [key, oldKey, foreignKey] = [makeSigningKey(), makeSigningKey(), makeSigningKey()];
const JWKS = { keys: [key.jwk, oldKey.jwk, { kty: 'RSA', kid: 'rsa' }, { ...foreignKey.jwk, kid: 'renamed' }] };
const signed = (changes: object, header: object = {}) => signToken(key, { ...CLAIMS, ...changes }, header);
const good = signed({});

const inFolder = useFolder();
beforeAll(() => writeFile(inFolder('jwks.json'), JSON.stringify(JWKS)));

/** What `verify` prints of a file, and whether every receipt holds. */
const verify = async (text: string | Buffer, options: object = {}) => {
  const [source, jwks] = [inFolder('receipts'), inFolder('jwks.json')];
  await writeFile(source, text);
  const lines: string[] = [];
  const print = async (...printed: string[]) => {
    lines.push(...printed);
  };
  const args = { source, jwks, encoding: undefined, issuer: 'https://api.example.com', acceptsSandbox: false };
  const holds = await verifyFile({ ...args, ...options }, new AbortController().signal, print);
  return { holds, lines };
};

describe('A receipt', () => {
  const hmac = (text: string) => createHmac('sha256', JSON.stringify(key.jwk)).update(text).digest();
  const foreign = (header: object = {}) => signToken(foreignKey, CLAIMS, header);
  const CHANGED = /^The receipt is cut off, was changed, or another key has signed it\.$/;
  const NO_RECEIPT = /^The receipt was changed, or is none: it has not the form of a signed answer/;
  const changed = good.replace('.e', '.A');
  it.each<[string, string, RegExp]>([
    ['whose claims were changed', `${changed}\n`, CHANGED],
    ['that another key has signed', foreign({ kid: key.kid }), CHANGED],
    ['whose key has the id of another in the key set', foreign({ kid: 'renamed' }), /^The key set has no key /],
    ['whose key is unknown', foreign(), /^The key set has no key for receipts with the id "\S+"\.$/],
    ['without a signature', signToken(key, CLAIMS, { alg: 'none' }), / is signed with "none", not with ES256\.$/],
    ['with the public key as a secret', signToken(key, CLAIMS, { alg: 'HS256' }, hmac), / signed with "HS256", not /],
    ['of another type', signed({}, { typ: 'JWT' }), /^The receipt has the type "JWT", not "vehicle-answer\+jwt"\.$/],
    [
      'with a critical extension',
      signed({}, { crit: ['exp'], exp: 1 }),
      /^The receipt requires extensions .* \(crit\)\.$/,
    ],
    ['with an empty list of critical extensions', signed({}, { crit: [] }), /^The receipt requires extensions /],
    ['of another issuer', signed({ iss: 'https://x.example' }), / issuer https:\/\/x\.example, not of https:\/\/api\./],
    ['of the sandbox', signed({ sandbox: true }), /^The receipt is of the sandbox, .*: --sandbox accepts it\.$/],
    ['without a claim', signed({ aud: undefined }), /^The receipt lacks something that every signed answer has\.$/],
    [
      'of a time that no date has',
      signed({ iat: 1e20 }),
      /^The receipt lacks something that every signed answer has\.$/,
    ],
    ['that is none', '{"insured":true}\n', NO_RECEIPT],
    ['that ends in its claims', good.slice(0, 250), CHANGED],
    ['that ends in its signature', good.slice(0, -1), CHANGED],
  ])('%s does not hold, and says so', async (_title, text, sentence) => {
    const { holds, lines } = await verify(`${good}\n${text}`);
    expect(holds).toBe(false);
    expect(lines).toMatchObject({ 0: expect.stringContaining('Line 1 holds'), 3: '1 of 2 receipts hold.' });
    expect(lines[2]?.replace('Line 2 does not hold. ', '')).toMatch(sentence);
  });

  it('holds with the line ends, marks, blanks and encoding that another program has given its file', async () => {
    await writeFile(inFolder('marked.json'), `\ufeff${JSON.stringify(JWKS)}`);
    const text = `\ufeff${good}\r\n \t\r\n  ${good}\ufeff \r\n`;
    const jwks = inFolder('marked.json');
    const wide = Buffer.from(text, 'utf16le');
    for (const [file, encoding] of [[text], [wide], [wide.subarray(2), 'utf-16le']] as const) {
      const { holds, lines } = await verify(file, { jwks, encoding });
      expect({ holds, last: lines.at(-1) }).toEqual({ holds: true, last: '2 of 2 receipts hold.' });
    }
  });

  it.each([{ use: 'enc' }, { alg: 'ES384' }, { key_ops: ['sign'] }, { key_ops: 'verify' }])(
    'does not hold by a key that says that it is for something else: %j',
    async (purpose) => {
      const keys = await readKeySet({ keys: [{ ...key.jwk, ...purpose }, oldKey.jwk] });
      await expect(readReceipt(good, keys)).rejects.toThrow('The key set has no key for receipts with the id');
    },
  );

  it('holds by a key that says that it is for signatures with ES256', async () => {
    const right = { use: 'sig', alg: 'ES256', key_ops: ['verify'] };
    expect(await readReceipt(good, await readKeySet({ keys: [{ ...key.jwk, ...right }] }))).toEqual(CLAIMS);
  });

  it('does not hold when any of its bytes is another one', async () => {
    const keys = await readKeySet(JWKS);
    expect(await readReceipt(good, keys)).toEqual(CLAIMS);
    for (const [at, byte] of [...good].entries()) {
      for (const other of ['.', '\n', byte === 'B' ? 'C' : 'B', String.fromCharCode(byte.charCodeAt(0) ^ 1)]) {
        if (other === byte) continue;
        const text = good.slice(0, at) + other + good.slice(at + 1);
        await expect(readReceipt(text, keys)).rejects.toBeInstanceOf(InvalidReceipt);
      }
    }
  });

  it('says when, for whom, which vehicles and what was answered, also with an old key or of the sandbox', async () => {
    const notFound = { title: 'T', status: 404, detail: 'D', code: 'VEHICLE_NOT_FOUND', requestId: 'r' };
    const details = { mot: { dueDate: '2026-01-31' } };
    const verdict = { registration: 'A1', compliant: false, reasons: ['MOT_EXPIRED'], details };
    const bulk = [verdict, { registration: 'B2', compliant: false, code: 'COMPLIANCE_NOT_FOUND', error: '…' }];
    const unknown = { registration: 'B2', insured: false, code: 'VEHICLE_NOT_FOUND' };
    const onADay = { results: [ANSWER, unknown], asOf: '2026-03-01' };
    const receipts = [
      signToken(oldKey, CLAIMS),
      signToken(key, claimsOf('GET', '/v1/vehicle/ZZ99%20ZZZ/insurance', notFound, 404)),
      signToken(key, { ...claimsOf('POST', '/v1/vehicle/bulk-compliance', { results: bulk }), sandbox: true }),
      signToken(key, claimsOf('POST', '/v1/vehicle/bulk-insurance', onADay)),
    ];
    const policy =
      'policy_number POL-1, insurer Acme Mutual, cover Comprehensive, valid_from 2026-01-01, valid_to 2026-12-31';
    const when = '2026-11-22T12:00:00Z, for key key-1, request request-1';
    expect(await verify(receipts.join('\n'), { issuer: 'https://api.example.com/', acceptsSandbox: true })).toEqual({
      holds: true,
      lines: [
        `Line 1 holds: ${when}: GET ${PATH}`,
        `  AB12CDE, insured, ${policy}`,
        `Line 2 holds: ${when}: GET /v1/vehicle/ZZ99%20ZZZ/insurance`,
        '  ZZ99 ZZZ, unknown',
        `Line 3 holds: sandbox, ${when}: POST /v1/vehicle/bulk-compliance`,
        '  A1, not compliant, reasons MOT_EXPIRED, mot_due 2026-01-31',
        '  B2, no record',
        `Line 4 holds: ${when}: POST /v1/vehicle/bulk-insurance for 2026-03-01`,
        `  AB12CDE, insured on 2026-03-01, ${policy}`,
        '  B2, unknown',
        '4 of 4 receipts hold.',
      ],
    });
  });

  it('shows the JSON of an answer that it does not know', async () => {
    // Of a later version of the service.
    const answer = { registration: 'AB12CDE', mot: 'x\n'.repeat(1_000) };
    const { holds, lines } = await verify(signToken(key, claimsOf('GET', '/v1/vehicle/AB12CDE/mot', answer)));
    expect({ holds, shown: lines[1] }).toEqual({ holds: true, shown: `  ${JSON.stringify(answer).slice(0, 1_000)}` });
  });

  it('shows no registration that looks like an answer', async () => {
    const linesOf = async (...args: Parameters<typeof claimsOf>) =>
      (await verify(signToken(key, claimsOf(...args)))).lines.slice(1, -1);
    const shown = {
      'AB12CDE, insured, policy_number POL-1': '"AB12CDE, insured, policy_number POL-1"',
      'a"b': '"a\\"b"',
      ['A'.repeat(200)]: `"${'A'.repeat(100)}…"`,
      'ÄB 12-C.3': 'ÄB 12-C.3',
    };
    const results = Object.keys(shown).map((registration) => ({
      registration,
      insured: false,
      code: 'INVALID_REGISTRATION',
    }));
    const lines = Object.values(shown).map((registration) => `  ${registration}, invalid`);
    expect(await linesOf('POST', '/v1/vehicle/bulk-insurance', { results })).toEqual(lines);
    const insured = { registration: 'compliance', insured: true };
    const compliant = { registration: 'insurance', compliant: true };
    expect(await linesOf('GET', '/v1/vehicle/compliance/insurance', insured)).toEqual(['  compliance, insured']);
    expect(await linesOf('GET', '/v1/compliance/insurance', compliant)).toEqual(['  insurance, compliant']);
  });

  it.each<[string | Buffer, () => object, RegExp]>([
    ['', () => ({}), / has no receipts\.$/],
    [good, () => ({ source: 'nothing' }), /^There is no file nothing\.$/],
    [good, () => ({ jwks: 'nothing' }), /^There is no file nothing\.$/],
    [good, () => ({ jwks: import.meta.filename }), / is not JSON\.$/],
    [good, () => ({ jwks: 'http://127.0.0.1:1/' }), / cannot be used \(bad port\)\.$/],
    [good, () => ({ jwks: inFolder('large.json') }), /large\.json cannot be used \(it is too large\)\.$/],
    [gzipSync(good), () => ({}), / cannot be read: the file is compressed: unpack it first\.$/],
  ])('is not verified without a file and a key set: %#', async (text, options, sentence) => {
    await writeFile(inFolder('large.json'), JSON.stringify(JWKS).padEnd(1_000_001));
    await expect(verify(text, options())).rejects.toThrow(sentence);
  });
});

describe('A signed lookup', () => {
  /** A client of a service that answers with these tokens, one after the other, and publishes these keys in turn. */
  const clientOf = (
    tokens: readonly string[],
    { status = 200, type = 'application/jwt', sets = [JWKS as object] } = {},
  ) => {
    const sent: { readonly path: string; readonly accept: string | null }[] = [];
    /** The next one; the last one stays. */
    const next = <Item>(items: Item[]): Item | undefined => (items.length > 1 ? items.shift() : items[0]);
    const [tokensLeft, setsLeft] = [[...tokens], [...sets]];
    const send: typeof fetch = async (input, init) => {
      const [path, accept] = [new URL(String(input)).pathname, new Headers(init?.headers).get('Accept')];
      sent.push({ path, accept });
      if (path === '/.well-known/jwks.json') return Response.json(next(setsLeft));
      return new Response(next(tokensLeft), { status, headers: { 'Content-Type': type } });
    };
    const service = { baseUrl: 'https://api.example.com/v1', apiKey: 'key', fetch: send, attempts: 1 };
    const keySets = () => sent.filter(({ path }) => path.includes('jwks')).length;
    return { client: new VehicleVerification(service), sent, keySets };
  };

  it('has the answer and its receipt, and fetches the key set once', async () => {
    const { client, sent, keySets } = clientOf([good]);
    const lookUp = () => client.insurance('AB12CDE', { signed: true });
    expect(await lookUp()).toEqual({ answer: ANSWER, receipt: good });
    expect(sent[0]).toEqual({ path: PATH, accept: 'application/jwt' });
    await Promise.all([lookUp(), lookUp()]);
    expect(keySets()).toBe(1);
  });

  it('in bulk has one receipt a line for each request', async () => {
    const path = '/v1/vehicle/bulk-compliance';
    const failed = { registration: 'A1', compliant: false, code: 'VEHICLE_NOT_FOUND', error: '…' };
    const token = signToken(key, claimsOf('POST', path, { results: [failed] }));
    const { client } = clientOf([token]);
    expect(await client.verifyCompliance(['A1'], { signed: true })).toEqual({ answer: [failed], receipt: token });
    expect(await client.verifyCompliance([], { signed: true })).toEqual({ answer: [], receipt: '' });
  });

  it('is for the day that was asked for, alone and in bulk', async () => {
    const asOf = '2026-03-01';
    const bulk = { results: [ANSWER], asOf };
    const one = clientOf([signToken(key, claimsOf('GET', PATH, { ...ANSWER, asOf }))]).client;
    const many = clientOf([signToken(key, claimsOf('POST', '/v1/vehicle/bulk-insurance', bulk))]).client;
    const on = (date?: string) => ({ date, signed: true }) as const;
    expect((await one.insurance('AB12CDE', on(asOf))).answer).toEqual({ ...ANSWER, asOf });
    expect((await many.verify(['AB12CDE'], on(asOf))).answer).toEqual([ANSWER]);
    for (const other of [undefined, '2026-03-02']) {
      await expect(one.insurance('AB12CDE', on(other))).rejects.toThrow(InvalidReceipt);
      await expect(many.verify(['AB12CDE'], on(other))).rejects.toThrow(InvalidReceipt);
    }
  });

  it('reads the key set again when a key was added since', async () => {
    const sets = [{ keys: [oldKey.jwk] }, JWKS];
    const { client, keySets } = clientOf([signToken(oldKey, CLAIMS), good], { sets });
    for (let nth = 0; nth < 3; nth += 1) await client.insurance('AB12CDE', { signed: true });
    expect(keySets()).toBe(2);
  });

  it('of an unknown vehicle has a receipt too, and so has the problem of a vehicle without a record', async () => {
    const tokenOf = (path: string, code: string) => signToken(key, claimsOf('GET', path, { code, status: 404 }, 404));
    const unknown = tokenOf(PATH, 'VEHICLE_NOT_FOUND');
    const found = await clientOf([unknown], { status: 404 }).client.insurance('AB12CDE', { signed: true });
    expect(found).toEqual({ answer: undefined, receipt: unknown });
    const noRecord = tokenOf('/v1/compliance/A%201', 'COMPLIANCE_NOT_FOUND');
    const failure = clientOf([noRecord], { status: 404 }).client.compliance('A 1', { signed: true });
    await expect(failure).rejects.toMatchObject({ code: 'COMPLIANCE_NOT_FOUND', receipt: noRecord });
  });

  const otherPath = { method: 'GET', path: '/v1/vehicle/B2/insurance' };
  const unsigned = { type: 'application/json' };
  it.each([
    ['is not signed', JSON.stringify(ANSWER), unsigned, 'The service has answered without a signature.'],
    ['does not hold', signToken(foreignKey, CLAIMS), {}, 'The key set has no key for receipts with the id'],
    ['no published key can verify', good, { sets: [{ keys: [] }] }, 'The key set has no key for receipts.'],
    ['is for another vehicle', signed({ request: otherPath }), {}, 'The signed answer is for another request.'],
    ['has another status', signed({ status: 404 }), {}, 'The signed answer is for another request.'],
  ])('rejects an answer that %s', async (_title, token, options, sentence) => {
    const failure = clientOf([token], options).client.insurance('AB12CDE', { signed: true });
    await expect(failure).rejects.toThrow(InvalidReceipt);
    await expect(failure).rejects.toThrow(sentence);
  });

  it('rejects with the problem of a service that signs nothing, also for an unknown vehicle', async () => {
    for (const [code, status] of Object.entries({ NOT_ACCEPTABLE: 406, VEHICLE_NOT_FOUND: 404 })) {
      const { client } = clientOf([JSON.stringify({ status, code })], { status, type: 'application/problem+json' });
      const failure = client.insurance('AB12CDE', { signed: true });
      await expect(failure).rejects.toThrow(ApiProblem);
      await expect(failure).rejects.toMatchObject({ status, code });
    }
  });
});
