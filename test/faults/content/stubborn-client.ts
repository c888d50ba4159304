import type { Call, Reply, TestApi } from '../../support/api.ts';

/** Attempts after which a client gives up; far more than a fifth of faults can use up. */
const MAX_ATTEMPTS = 100;
/** Of the answers that change something, every so many is taken for lost on its way, and the request sent again. */
const LOST_EVERY = 10;

/** What the clients together have done. */
export interface Traffic {
  requests: number;
  /** Requests sent again after 500, or after 429 that stood for a throttled counter. */
  retries: number;
  /** Requests sent again although they were answered, as if the answer had been lost. */
  lostAnswers: number;
}

/** An answer, and whether an earlier attempt may have been applied: then 404 or 412 may be the client's own doing. */
export interface Answered {
  readonly reply: Reply;
  readonly inDoubt: boolean;
  /** What earlier attempts were answered before those answers were lost. */
  readonly lost: readonly Reply[];
}

export type Send = (method: string, path: string, options?: Call) => Promise<Answered>;

const isFault = ({ status }: Reply): boolean => status >= 500 || status === 429;

/**
 * A client with a key of its own that sends a request until it is acknowledged or refused, at once and with the same
 * headers, harder than any real one would. 429 can only stand for a throttled counter: no key comes near its plan's limit.
 */
export const stubbornClient = async (api: TestApi, traffic: Traffic): Promise<Send> => {
  const key = await api.newKey();
  let answers = 0;

  const isLost = (method: string, { status }: Reply): boolean => {
    if (method === 'GET' || status >= 300) return false;
    answers += 1;
    return answers % LOST_EVERY === 0;
  };

  return async (method, path, options = {}) => {
    const lost: Reply[] = [];
    let inDoubt = false;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      traffic.requests += 1;
      const reply = await api.call(method, path, { key, ...options });
      if (isFault(reply)) {
        traffic.retries += 1;
        inDoubt ||= reply.status >= 500;
      } else if (isLost(method, reply)) {
        traffic.lostAnswers += 1;
        lost.push(reply);
        inDoubt = true;
      } else return { reply, inDoubt, lost };
    }
    throw new Error(`${method} was not acknowledged in ${MAX_ATTEMPTS} attempts`);
  };
};
