import { startApi, type TestApi } from '../../support/api.ts';
import { kinds } from '../matrix/fault-kinds.ts';
import { canaryWords } from './canary-words.ts';
import type { Secrets } from './leaks.ts';
import { sendOddRequests } from './odd-requests.ts';
import { sendUnderFault } from './requests-under-fault.ts';

export interface Sent {
  readonly requests: number;
  /** Responses with status 500. */
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

/** For a process of its own (`forkCall`): requests full of canaries, under the kind of fault of this name or without one. */
export const sendCanaries = async (kindName: string, everyPoint: boolean): Promise<Sent> => {
  const nextWord = canaryWords();
  const words: string[] = [];
  const wordFor = (): string => {
    const word = nextWord();
    words.push(word);
    return word;
  };
  const api = await startApi({ logLevel: 'DEBUG' });
  const { recorded, statuses, keys } = recording(api);
  const kind = kinds.find(({ name }) => name === kindName);
  if (kind === undefined) await sendOddRequests(recorded, wordFor);
  else await sendUnderFault(recorded, kind, wordFor, everyPoint);
  await api.stop();
  const failures = statuses.filter((status) => status === 500).length;
  return { requests: statuses.length, failures, secrets: { words, keys } };
};
