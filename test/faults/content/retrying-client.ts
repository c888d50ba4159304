import type { Call, Reply, TestApi } from '../../support/api.ts';

/** Far more than a fifth of faults can use up. */
const MAX_ATTEMPTS = 100;
/** Every so many responses to a change are treated as lost, and the request is sent again. */
const LOST_EVERY = 10;

/** A response, and whether an earlier attempt may have been applied: 404 or 412 may then be due to it. */
export interface Answered {
  readonly reply: Reply;
  readonly inDoubt: boolean;
  /** Responses to earlier attempts that were treated as lost. */
  readonly lost: readonly Reply[];
}

export type Send = (method: string, path: string, options?: Call) => Promise<Answered>;

const isFailed = ({ status }: Reply): boolean => status >= 500 || status === 429;

/**
 * Repeats a request at once and with the same headers until it is acknowledged or rejected. 429 means a throttled counter:
 * no key comes near its plan's limit.
 */
export const retryingClient = async (api: TestApi): Promise<Send> => {
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
      const reply = await api.call(method, path, { key, ...options });
      if (isFailed(reply)) inDoubt ||= reply.status >= 500;
      else if (isLost(method, reply)) {
        lost.push(reply);
        inDoubt = true;
      } else return { reply, inDoubt, lost };
    }
    throw new Error(`${method} was not acknowledged in ${MAX_ATTEMPTS} attempts`);
  };
};
