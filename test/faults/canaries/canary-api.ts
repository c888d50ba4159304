import { startApi, type TestApi } from '../../support/api.ts';

/** The first letters of every canary word: in no other word, and in nothing that is random in hex. */
export const MARKER = 'zqkwvj';

/** What the service was sent. No log may contain the words, or more of a key than its id. */
export interface Sent {
  readonly requests: number;
  /** Responses with status 500. */
  readonly failures: number;
  /** Responses in bulk with a registration that could not be read. */
  readonly unread: number;
  readonly words: readonly string[];
  readonly keys: readonly string[];
}

/** The API with log level `DEBUG`, canary words (nine letters and digits) for records and requests, and a record of both. */
export const startCanaryApi = async () => {
  const api = await startApi({ logLevel: 'DEBUG' });
  const words: string[] = [];
  const keys: string[] = [];
  let requests = 0;
  let failures = 0;
  let unread = 0;
  const recorded: TestApi = {
    ...api,
    call: async (...request) => {
      requests += 1;
      const reply = await api.call(...request);
      if (reply.status === 500) failures += 1;
      if (reply.text.includes('LOOKUP_UNAVAILABLE')) unread += 1;
      return reply;
    },
    newKey: async (record) => {
      const key = await api.newKey(record);
      keys.push(key);
      return key;
    },
  };
  return {
    api: recorded,
    newWord: (): string => {
      const word = MARKER + words.length.toString(36).padStart(3, '0');
      words.push(word);
      return word;
    },
    sent: (): Sent => ({ requests, failures, unread, words, keys }),
  };
};
