/**
 * Requests the deployed address without a key, every minute (lib/cloud/probe.ts). Throws unless the response is the
 * service's own 401 with all its headers: what API Gateway answers by itself does not pass.
 */
import { problems } from '../../core/problems.ts';
import { probedAddress } from '../settings.ts';

/** Well above a cold start, and below Lambda's timeout, so that the error names the reason. */
const TIMEOUT_MS = 5_000;

const CODE = 'UNAUTHORIZED';
const { status: STATUS } = problems[CODE];

/** Those of every response (docs/contract.md#every-response) and of a 401. */
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

/** API Gateway renames this header in responses of REST APIs. For HTTP APIs nothing is documented, so both names pass. */
const RENAMED = 'x-amzn-remapped-www-authenticate';

const headerOf = ({ headers }: Response, name: string): string =>
  headers.get(name) ?? (name === 'www-authenticate' ? headers.get(RENAMED) : undefined) ?? '';

const request = async (address: string): Promise<{ readonly response: Response; readonly body: string }> => {
  try {
    // A new connection each time: one that is kept would have been closed while Lambda had frozen the function.
    const headers = { connection: 'close' };
    const response = await fetch(address, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { response, body: await response.text() };
  } catch (error) {
    const { name, message, cause = message } = error as Error;
    const reason = name === 'TimeoutError' ? `did not answer within ${TIMEOUT_MS} ms` : `cannot be reached: ${cause}`;
    throw new Error(`${address} ${reason}.`);
  }
};

/** @throws Error naming everything in which the response differs from the expected one */
export const handler = async (): Promise<void> => {
  const address = probedAddress();
  const { response, body } = await request(address);
  const differences = [
    ...(response.status === STATUS ? [] : [`its status is ${response.status}`]),
    ...(body.includes(`"code":"${CODE}"`) ? [] : [`its body is no problem document with the code ${CODE}`]),
    ...Object.entries(HEADERS)
      .filter(([name, expected]) => !expected.test(headerOf(response, name)))
      .map(([name]) => `its header ${name} is "${headerOf(response, name)}"`),
  ];
  if (differences.length > 0) throw new Error(`${address} does not answer as expected: ${differences.join(', ')}.`);
};
