/** Canaries as keys, registrations, content and headers go through every endpoint under every fault: none is logged. */
import { createHash } from 'node:crypto';
import type { Finding, Run } from '../../../tools/report/report.ts';
import { capturedProcess } from '../canaries/captured-process.ts';
import { base64Forms, type Leak, leaksIn } from '../canaries/leaks.ts';
import { countLines, type LogLines } from '../canaries/log-lines.ts';
import type { Sent } from '../canaries/service-process.ts';
import { kinds } from '../matrix/kinds.ts';

const SERVICE = new URL('../canaries/service-process.ts', import.meta.url);
const ODD = 'no fault, odd requests';
const MAX_SHOWN = 20;

interface Searched {
  readonly name: string;
  readonly sent: Sent;
  readonly lines: LogLines;
  readonly bytes: number;
  readonly leaks: readonly Leak[];
  /** Forms of a canary that were planted in this very log, and how many of them the search found. */
  readonly planted: number;
  readonly foundPlanted: number;
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

const search = async (name: string, size: string): Promise<Searched> => {
  const { said, output } = await capturedProcess(SERVICE, [name, size], { POWERTOOLS_METRICS_NAMESPACE: 'Canaries' });
  const sent = said as Sent;
  const planted = plantedLines(sent.secrets);
  const leaks = leaksIn(output, sent.secrets);
  return {
    name,
    sent,
    lines: countLines(output),
    bytes: output.length,
    leaks,
    planted: planted.length,
    foundPlanted: planted.filter((line) => leaksIn(`${output}\n${line}`, sent.secrets).length > leaks.length).length,
  };
};

const sum = <T>(of: readonly T[], value: (each: T) => number): number =>
  of.reduce((total, each) => total + value(each), 0);

const findingsOf = (searched: readonly Searched[]): Finding[] => {
  const leaks = sum(searched, (each) => each.leaks.length);
  const requests = sum(searched, ({ sent }) => sent.requests);
  const failures = sum(searched, ({ sent }) => sent.failures);
  const others = sum(searched, ({ lines }) => lines.others.length);
  const [planted, foundPlanted] = [sum(searched, (each) => each.planted), sum(searched, (each) => each.foundPlanted)];
  const logged = searched.every(
    ({ sent, lines }) => lines.requests === sent.requests && lines.metrics === sent.requests,
  );
  return [
    {
      promise: 'No key, registration, body, slug or header in any log line, in any case, encoding or hash',
      found: `${leaks} in ${Math.round(sum(searched, ({ bytes }) => bytes) / 1_000)} kB of log`,
      holds: leaks === 0 && requests > 0,
    },
    {
      promise: 'Each request leaves one line and one metrics line',
      found: `${requests} requests, ${sum(searched, ({ lines }) => lines.requests)} and ${sum(searched, ({ lines }) => lines.metrics)} lines`,
      holds: logged && requests > 0,
    },
    {
      promise: 'Each 500 leaves one line that says what failed',
      found: `${failures} answers, ${sum(searched, ({ lines }) => lines.failures)} lines`,
      holds: failures > 0 && searched.every(({ sent, lines }) => lines.failures === sent.failures),
    },
    { promise: 'Nothing else is written', found: `${others} other lines`, holds: others === 0 },
    {
      promise: 'The search finds every form of a secret that is planted into these logs',
      found: `${foundPlanted} of ${planted}`,
      holds: planted > 0 && foundPlanted === planted,
    },
  ];
};

const run: Run = async (progress, size) => {
  const names = [...kinds.map(({ name }) => name), ODD];
  let done = 0;
  const searched = await Promise.all(
    names.map(async (name) => {
      const result = await search(name, size);
      done += 1;
      progress(done, names.length, name);
      return result;
    }),
  );
  const shown = searched.flatMap(({ name, leaks, lines }) => [
    ...leaks.map(({ form, line }) => [name, form, line.slice(0, 300)]),
    ...lines.others.map((line) => [name, 'neither request nor failure nor metrics', line.slice(0, 300)]),
  ]);
  return {
    findings: findingsOf(searched),
    blocks: [
      {
        text: [
          'Every value that callers and records can bring in (API key, its name, registration, title, content, domain, slug,',
          'meta description, `Idempotency-Key`, `If-Match`, query, path, cookie, user agent) is a canary: a word that stands',
          'nowhere else. The service runs at log level `DEBUG` with metrics on, in a process whose standard output and error are',
          'kept whole, one process per kind of fault:',
          size === 'long'
            ? 'requests to every endpoint with the fault at each of their database operations, once and lasting, and lasting everywhere.'
            : 'requests to every endpoint with the fault once at their last database operation, and lasting everywhere and at their first.',
          'The odd requests are malformed bodies, wrong keys, invalid registrations, conflicts and damaged records.',
          'Searched for: the canary in any case, URL-encoded or written with separators, in base64 at any alignment, hashed; half',
          'a key; more of a key’s SHA-256 than the 20 digits that are its id.',
        ].join('\n'),
      },
      {
        table: {
          head: ['fault', 'requests', '500s', 'request lines', 'failure lines', 'metrics lines', 'kB', 'leaks'],
          rows: searched.map(({ name, sent, lines, bytes, leaks }) => [
            name,
            sent.requests,
            sent.failures,
            lines.requests,
            lines.failures,
            lines.metrics,
            Math.round(bytes / 1_000),
            leaks.length,
          ]),
        },
      },
      ...(shown.length > 0 ? [{ table: { head: ['fault', 'what', 'line'], rows: shown.slice(0, MAX_SHOWN) } }] : []),
      {
        text: 'Limits of this proof: what Lambda itself and API Gateway’s access log write is not seen here; the format of the access log is held by a test of the stack.',
      },
    ],
  };
};
export default run;
