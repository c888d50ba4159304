/** Requests from sound to senseless over HTTP: none may crash the service, none may be answered with a 5xx. */

import { addressOf } from '../../../lib/local/gateway/http-event.ts';
import type { Run } from '../../../tools/report/report.ts';
import { requireContract } from '../../support/contract.ts';
import { forkProcess } from '../../support/forked-process.ts';
import { inFlight } from '../fuzz/in-flight.ts';
import { type RawRequest, rawRequests, TUNNEL } from '../fuzz/raw-requests.ts';
import { samples } from '../fuzz/samples.ts';
import { soundCalls } from '../fuzz/sound-calls.ts';
import { tally } from '../fuzz/tally.ts';
import { type WildRequest, wildRequests } from '../fuzz/wild-requests.ts';
import { type Answer, wireTo } from '../fuzz/wire.ts';
import { prepareWorld } from '../fuzz/world.ts';

/** Requests through an HTTP client, and raw ones. */
const SIZES: Readonly<Record<string, { readonly requests: number; readonly raw: number }>> = {
  quick: { requests: 5_700, raw: 300 },
  long: { requests: 97_000, raw: 3_000 },
};
const SEED = 6_003;
const CONNECTIONS = 16;
const ITEMS = 460;

/** What the platform answers before any function is asked: no HTTP, too long, an expectation that nobody meets. */
const OF_THE_GATEWAY = [400, 413, 417];

const isOfTheGateway = ({ status, headers }: Answer): boolean =>
  OF_THE_GATEWAY.includes(status) && !headers.has('X-Request-Id');

const requireDescribed = ({ method, target, headers, body }: WildRequest, answer: Answer): void => {
  const { encodedPath, rawQueryString } = addressOf(target);
  const lists = Map.groupBy(headers, ([name]) => name);
  requireContract({
    method,
    url: { pathname: encodedPath, search: rawQueryString, searchParams: new URLSearchParams(rawQueryString) },
    headers: Object.fromEntries([...lists].map(([name, pairs]) => [name, pairs.map(([, value]) => value).join(',')])),
    body: body?.toString('utf8'),
    status: answer.status,
    answerHeaders: answer.headers,
    answerText: answer.text,
  });
};

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const run: Run = async (progress, size) => {
  const { requests, raw } = SIZES[size] ?? { requests: 0, raw: 0 };
  const count = requests + raw;
  const world = await prepareWorld(ITEMS);
  const gateway = await forkProcess(new URL('../fuzz/gateway-process.ts', import.meta.url));
  const wire = wireTo(String(gateway.said), CONNECTIONS);
  const found = tally();

  const sendWild = async (request: WildRequest): Promise<void> => {
    const { endpoint } = request;
    const about = [`${request.method}, ${request.body?.length ?? 0} bytes of body`, ...request.about].join('; ');
    const started = performance.now();
    try {
      const answer = await wire.send(request);
      const milliseconds = performance.now() - started;
      const ofTheGateway = isOfTheGateway(answer);
      const outcome = ofTheGateway ? `gateway ${answer.status}` : String(answer.status);
      const hasCode = !ofTheGateway && answer.status >= 400 && request.method !== 'HEAD';
      found.add({ endpoint, outcome, milliseconds, about }, hasCode ? JSON.parse(answer.text).code : undefined);
      if (answer.status >= 500) found.fault(`${endpoint} answered ${answer.status} to ${about}`);
      else if (!ofTheGateway) requireDescribed(request, answer);
      if (answer.status === 201) world.keepId(JSON.parse(answer.text).id);
    } catch (error) {
      found.fault(`${endpoint}, ${about}: ${String(error)}`);
    }
  };

  const sendRaw = async (request: RawRequest): Promise<void> => {
    const { about } = request;
    const started = performance.now();
    try {
      const status = await wire.sendBytes(request);
      const milliseconds = performance.now() - started;
      found.add({ endpoint: 'raw bytes', outcome: String(status ?? 'closed'), milliseconds, about });
      const isSound = status === undefined ? about === TUNNEL : status < 500;
      if (!isSound) found.fault(`${status ?? 'no answer'} to raw bytes: ${about}`);
    } catch (error) {
      found.fault(`raw bytes, ${about}: ${String(error)}`);
    }
  };

  const calls = () => soundCalls(world.contentIds());
  await inFlight(
    CONNECTIONS,
    samples(() => wildRequests(calls(), world.keyChoices), requests, SEED),
    async (request, nth) => {
      progress(nth, count, 'requests');
      await sendWild(request);
    },
  );
  await inFlight(
    CONNECTIONS,
    samples(() => rawRequests(calls(), world.keys.premium), raw, SEED),
    async (request, nth) => {
      progress(requests + nth, count, 'raw requests');
      await sendRaw(request);
    },
  );
  const last = await wire
    .send({
      endpoint: 'vehicle-insurance',
      method: 'GET',
      target: '/v1/vehicle/AB12CDE/insurance',
      headers: [['X-API-Key', world.keys.premium]],
      about: [],
    })
    .then(({ status }) => String(status), String);
  const isAlive = last === '200';
  wire.close();
  if (isAlive) await gateway.stop();
  world.close();

  const successes = found.count((outcome) => outcome.startsWith('2'));
  const limited = found.count((outcome) => outcome === '429');
  const refused = found.count((outcome) => outcome === '401');
  return {
    findings: [
      {
        promise:
          'every request is answered below 500 as the OpenAPI document says, but for what the gateway answers by itself',
        found: `of ${found.total()} answers, faulty: ${found.faultsFound()}`,
        holds: found.isFaultless() && found.total() === count,
      },
      { promise: 'the process lives on: after all of them it answers a sound request', found: last, holds: isAlive },
      {
        promise:
          'the requests reach deep: at least 10 % succeed, at most half lack a valid key, at most 1 % meet the limit',
        found: `2xx ${percent(successes / count)}, 401 ${percent(refused / count)}, 429 ${percent(limited / count)}`,
        holds: successes >= count / 10 && refused <= count / 2 && limited <= count / 100,
      },
    ],
    blocks: [
      {
        text: [
          `${requests} requests through an HTTP client that corrects nothing, then ${raw} as raw bytes, to the local gateway in a process`,
          `of its own (fast-check, seed ${SEED}, ${CONNECTIONS} connections). Each starts as a sound request of an endpoint; path, query, key,`,
          'headers, `Content-Type` and body are then each sound or wild: bad escapes, `%2F`, dots, repeated and huge values,',
          'damaged and truncated JSON, prototype keys, 20,000 levels, lone surrogates, other encodings, up to just over 1 MB.',
          '“gateway” marks what the platform answers before a function is asked; “closed” a CONNECT, which',
          'gets no answer. Ids are of items that exist at the time, so a rerun is alike, not equal.',
        ].join(' '),
      },
      ...found.blocks(),
    ],
  };
};
export default run;
