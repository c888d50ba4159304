/**
 * Requests the deployed service without a key, every minute (lib/cloud/probe.ts). Fails unless the response is the
 * service's own 401 with all its headers. API Gateway's own responses fail.
 */
import { problems } from '../../core/problems.ts';
import { probedAddress } from '../../core/runtime/environment.ts';

/** Longer than a cold start; shorter than Lambda's timeout, so that the error names the cause. */
const TIMEOUT_MS = 5_000;

const CODE = 'UNAUTHORIZED';
const { status: STATUS } = problems[CODE];

/** The headers of every response (docs/contract.md#every-response) and of a 401. */
const HEADERS: Readonly<Record<string, RegExp>> = {
  'content-type': /^application\/problem\+json$/,
  'x-ratelimit-limit': /^0$/,
  'x-ratelimit-remaining': /^0$/,
  'x-ratelimit-reset': /^\d+$/,
  'x-request-id': /./,
  'cache-control': /^no-store$/,
  'x-content-type-options': /^nosniff$/,
  'www-authenticate': /^Bearer$/,
};

/** API Gateway renames `WWW-Authenticate` in responses of REST APIs. For HTTP APIs this is not documented: both names pass. */
const RENAMED = 'x-amzn-remapped-www-authenticate';

const headerOf = ({ headers }: Response, name: string): string =>
  headers.get(name) ?? (name === 'www-authenticate' ? headers.get(RENAMED) : undefined) ?? '';

const request = async (address: string): Promise<{ readonly response: Response; readonly body: string }> => {
  try {
    // A new connection each time: a kept-alive one would be closed while Lambda freezes the function.
    const headers = { connection: 'close' };
    const response = await fetch(address, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { response, body: await response.text() };
  } catch (error) {
    const { name, message, cause = message } = error as Error;
    const reason = name === 'TimeoutError' ? `did not answer within ${TIMEOUT_MS} ms` : `cannot be reached: ${cause}`;
    throw new Error(`${address} ${reason}.`);
  }
};

/** Probes the address in the environment. @throws Error naming every difference from the expected response */
export const handler = async (): Promise<void> => {
  const address = probedAddress();
  const { response, body } = await request(address);
  const differences = [
    ...(response.status === STATUS ? [] : [`its status is ${response.status}`]),
    ...(body.includes(`"code":"${CODE}"`) ? [] : [`its body does not have the code ${CODE}`]),
    ...Object.entries(HEADERS)
      .filter(([name, expected]) => !expected.test(headerOf(response, name)))
      .map(([name]) => `its header ${name} is "${headerOf(response, name)}"`),
  ];
  if (differences.length > 0) throw new Error(`${address} does not answer as expected: ${differences.join(', ')}.`);
};
