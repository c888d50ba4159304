import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type HttpRequest, HttpResponse } from '@smithy/core/protocols';

interface TransportTimeouts {
  /** Milliseconds to connect. */
  readonly connection: number;
  /** Milliseconds for the whole response, connecting included. */
  readonly response: number;
}

/** The SDK recognises a transient error by this name and code, and retries. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';
}

/** A response that is not HTTP, or whose body is not a JSON object. With `$retryable` the SDK retries the request. */
class UnreadableResponse extends Error {
  override readonly name = 'UnreadableResponse';
  readonly $retryable = {};
}

/** Whether the error is of Node's HTTP parser, which gives its errors this prefix. */
const isParseError = ({ code = '' }: NodeJS.ErrnoException): boolean => code.startsWith('HPE_');

/** The SDK's default of 50 sockets would make a bulk request and its neighbours wait for each other. */
const AGENT = { keepAlive: true, maxSockets: 256 };

const decoder = new TextDecoder();
const [OPENING_BRACE, CLOSING_BRACE] = Buffer.from('{}');

/**
 * Whether a body begins and ends as a JSON object, as every response of DynamoDB does. Any other body (empty,
 * truncated, a proxy's page) is not theirs. The SDK would take an empty one for an item that does not exist, and would
 * not retry the others. Parsing it here too would cost 1 % of a lookup's CPU.
 */
const looksLikeObject = (body: Buffer): boolean => body.at(0) === OPENING_BRACE && body.at(-1) === CLOSING_BRACE;

const joinValues = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Removes the brackets of an IPv6 address in a URL, which sockets do not accept. */
const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

const dropIdle = ({ freeSockets }: HttpAgent): void => {
  for (const socket of Object.values(freeSockets).flatMap((sockets = []) => sockets)) socket.destroy();
};

/**
 * The `requestHandler` of the SDK's clients of DynamoDB. It sends requests over kept connections, in place of
 * `@smithy/node-http-handler`, whose timers and streams are for bodies of any size
 * (docs/performance.md#replaced-parts-of-the-sdk). A truncated or malformed response is a transient error. After an
 * error on a reused connection all idle connections are closed: a frozen function may have lost them all, and there can
 * be more of them than attempts.
 */
export const awsTransport = ({ connection, response }: TransportTimeouts) => {
  const http = new HttpAgent(AGENT);
  const https = new HttpsAgent(AGENT);

  const handle = ({ protocol, hostname, port, path, method, headers, body }: HttpRequest) =>
    new Promise<{ response: HttpResponse }>((resolve, reject) => {
      const options = { host: withoutBrackets(hostname), port, path, method, headers };
      const [send, agent] = protocol === 'http:' ? [httpRequest, http] : [httpsRequest, https];
      const request = send({ ...options, agent });
      const timeOutAfter = (milliseconds: number, what: string) =>
        setTimeout(() => request.destroy(new TimeoutError(`${what} within ${milliseconds} ms`)), milliseconds);

      const responseTimer = timeOutAfter(response, 'no response');
      const fail = (error: Error) => {
        clearTimeout(responseTimer);
        if (request.reusedSocket) dropIdle(agent);
        reject(isParseError(error) ? new UnreadableResponse(error.message, { cause: error }) : error);
      };
      request.on('error', fail);
      request.on('socket', (socket) => {
        if (!socket.connecting) return;
        const connectionTimer = timeOutAfter(connection, 'no connection');
        socket.once('connect', () => clearTimeout(connectionTimer));
        request.once('close', () => clearTimeout(connectionTimer));
      });
      request.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', fail);
        incoming.on('end', () => {
          const { statusCode = 0, headers } = incoming;
          const body = Buffer.concat(chunks);
          // The error has neither the body nor the parser's message: both can contain an item.
          if (!looksLikeObject(body)) return fail(new UnreadableResponse('The response is not a JSON object'));
          clearTimeout(responseTimer);
          resolve({ response: new HttpResponse({ statusCode, headers: joinValues(headers), body }) });
        });
      });
      // Node sends headers and a text at once, but headers and bytes in two parts.
      request.end(decoder.decode(body));
    });

  return {
    metadata: { handlerProtocol: 'http/1.1' },
    handle,
    destroy: () => {
      http.destroy();
      https.destroy();
    },
    // The SDK reads these settings of its own transports.
    httpHandlerConfigs: () => ({}),
    updateHttpClientConfig: () => undefined,
  };
};

/** Milliseconds. DynamoDB usually answers within 10; after a second another attempt is likely to be faster. */
const TIMEOUTS = { connection: 300, response: 1_000 };
/**
 * With these timeouts and the SDK's pauses of up to 25 and 50 ms, a dead service costs at most 3.1 s. After throttling
 * the SDK pauses for up to 1 and 2 s. The deadline of a request is 9 s.
 */
const MAX_ATTEMPTS = 3;

export const clientSettings = () =>
  ({ maxAttempts: MAX_ATTEMPTS, retryMode: 'standard', requestHandler: awsTransport(TIMEOUTS) }) as const;
