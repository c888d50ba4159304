import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { forkCall } from '../support/fork.ts';
import { base64Forms, type Leak, leaksIn } from './canaries/leaks.ts';
import { countLines, type LogLines } from './canaries/log-lines.ts';
import type { Sent } from './canaries/send-canaries.ts';
import { kinds } from './matrix/fault-kinds.ts';
import { bySize, reportFigures, sum, TIMEOUT_MS } from './size.ts';

interface Searched {
  readonly name: string;
  readonly sent: Sent;
  readonly lines: LogLines;
  readonly leaks: readonly Leak[];
  /** Log lines with a form of a canary in them that the search does not find. */
  readonly missed: readonly string[];
}

/** A line like the service's own, with one form of a secret in it. */
const plantedLines = ({ words, keys }: Sent['secrets']): string[] => {
  const [word = '', key = ''] = [words.at(-1), keys.at(-1)];
  const forms = [
    word,
    word.toUpperCase(),
    `${word.slice(0, 3)}-${word.slice(3)}`,
    ...base64Forms(word),
    createHash('sha256').update(word).digest('hex'),
    key,
    key.slice('vvc_test_'.length, -6),
    createHash('sha256').update(key).digest('hex'),
  ];
  return forms.map((form) => JSON.stringify({ level: 'INFO', message: 'request', planted: form }));
};

/** The service in a process of its own: what that writes is its log and nothing else. */
const search = async (name: string): Promise<Searched> => {
  const { result: sent, stop } = await forkCall<Sent>(
    new URL('./canaries/send-canaries.ts', import.meta.url),
    'sendCanaries',
    [name, bySize(false, true)],
    { environment: { POWERTOOLS_METRICS_NAMESPACE: 'Canaries' }, output: 'capture' },
  );
  const log = await stop();
  const leaks = leaksIn(log, sent.secrets);
  const missed = plantedLines(sent.secrets).filter(
    (line) => leaksIn(`${log}\n${line}`, sent.secrets).length === leaks.length,
  );
  return { name, sent, lines: countLines(log), leaks, missed };
};

/** Every value of callers and records is a canary: a word that is nowhere else. The log level is `DEBUG`. */
describe('The log of requests to every endpoint', () => {
  let logs: readonly Searched[];

  beforeAll(async () => {
    logs = await Promise.all([...kinds.map(({ name }) => name), 'unusual requests, no fault'].map(search));
    reportFigures('canaries', {
      requests: sum(logs, ({ sent }) => sent.requests),
      failures: sum(logs, ({ sent }) => sent.failures),
    });
  }, TIMEOUT_MS);

  it('contains no key, registration, body, slug or header, in any case, encoding or hash', () => {
    expect(logs.flatMap(({ leaks }) => leaks)).toEqual([]);
  });

  it('contains one line and one metrics line per request, one line per response with 500, and nothing else', () => {
    const actual = logs.map(({ name, lines }) => ({ name, ...lines }));
    const expected = logs.map(({ name, sent: { requests, failures } }) => ({
      ...{ name, requests, failures, metrics: requests, others: [] },
      damages: expect.any(Number),
    }));
    expect(actual).toEqual(expected);
    expect(logs.filter(({ sent }) => sent.requests === 0)).toEqual([]);
    expect(sum(logs, ({ sent }) => sent.failures)).toBeGreaterThan(0);
  });

  it('is searched in a way that finds every form of a secret', () => {
    expect(logs.flatMap(({ missed }) => missed)).toEqual([]);
  });
});
