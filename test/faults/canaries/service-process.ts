/**
 * The service in a process of its own whose output is the service's log and nothing else: sends it requests full of
 * canaries, tells its parent what it sent and ends with it.
 */
import { startApi, type TestApi } from '../../support/api.ts';
import { kinds } from '../matrix/kinds.ts';
import { canaryWords } from './canary-words.ts';
import { sendUnderFault } from './faulted-requests.ts';
import type { Secrets } from './leaks.ts';
import { sendOddRequests } from './odd-requests.ts';

/** What was sent, and so must have been logged. */
export interface Sent {
  readonly requests: number;
  /** Answers that say the service failed. */
  readonly failures: number;
  readonly secrets: Secrets;
}

const recording = (api: TestApi) => {
  const statuses: number[] = [];
  const keys: string[] = [];
  const recorded: TestApi = {
    ...api,
    call: async (...request) => {
      const reply = await api.call(...request);
      statuses.push(reply.status);
      return reply;
    },
    newKey: async (record) => {
      const key = await api.newKey(record);
      keys.push(key);
      return key;
    },
  };
  return { recorded, statuses, keys };
};

process.on('disconnect', () => process.exit(0));
const [kindName, size] = process.argv.slice(2);
const nextWord = canaryWords();
const words: string[] = [];
const wordFor = () => {
  const word = nextWord();
  words.push(word);
  return word;
};
const api = await startApi({ logLevel: 'DEBUG' });
const { recorded, statuses, keys } = recording(api);
const kind = kinds.find(({ name }) => name === kindName);
if (kind === undefined) await sendOddRequests(recorded, wordFor);
else await sendUnderFault(recorded, kind, wordFor, size === 'long');
await api.stop();
const failures = statuses.filter((status) => status === 500).length;
process.send?.({ requests: statuses.length, failures, secrets: { words, keys } } satisfies Sent);
