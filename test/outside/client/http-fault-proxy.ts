import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startProxy } from '../../support/fault-proxy.ts';

/** What goes wrong with one request; with `*After`, `truncate*` and a delay the service handles it first. */
export type HttpFault =
  | ('throttle' | 'resetBefore' | 'resetAfter' | 'error' | 'errorAfter' | 'html' | 'truncate' | 'truncateJson')
  | { readonly slowMs: number };

export interface ProxiedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly body: string;
  /** From 1, over the proxy's life. */
  readonly nth: number;
}

/** The answers of API Gateway and of proxies, which have none of the service's headers. */
const ANSWERS = {
  throttle: [429, 'application/json', '{"message":"Too Many Requests"}'],
  error: [503, 'application/json', '{"message":"Service Unavailable"}'],
  errorAfter: [503, 'application/json', '{"message":"Service Unavailable"}'],
  html: [502, 'text/html', '<html><body><h1>502 Bad Gateway</h1></body></html>'],
} as const;

export type HttpFaultProxy = Awaited<ReturnType<typeof startHttpFaultProxy>>;

/** A proxy between a client and the service, which fails as a network and API Gateway fail. */
export const startHttpFaultProxy = async (serviceOrigin: string) => {
  const requests: ProxiedRequest[] = [];
  let nth = 0;
  let choose: (request: ProxiedRequest) => HttpFault | undefined = () => undefined;

  const { endpoint: origin, close } = await startProxy(serviceOrigin, async (incoming, response, forward) => {
    const body = await buffer(incoming);
    nth += 1;
    const { method = '', url = '', headers: sent } = incoming;
    const request = { method, path: url, headers: sent, body: String(body), nth };
    const fault = choose(request);
    requests.push(request);
    if (fault === 'resetBefore') return void response.destroy();
    if (typeof fault === 'string' && fault in ANSWERS) {
      if (fault === 'errorAfter') await forward(body);
      const [status, type, text] = ANSWERS[fault as keyof typeof ANSWERS];
      return void response.writeHead(status, { 'Content-Type': type }).end(text);
    }
    const { status, headers, body: whole } = await forward(body);
    if (fault === 'resetAfter') return void response.destroy();
    if (typeof fault === 'object') await new Promise((resolve) => setTimeout(resolve, fault.slowMs).unref());
    const { 'content-length': _length, ...others } = headers;
    response.writeHead(status, others);
    const half = whole.subarray(0, whole.length / 2);
    // 204 has nothing to truncate.
    if (fault === 'truncate' && status !== 204) response.write(half, () => response.destroy());
    else response.end(fault === 'truncateJson' ? half : whole);
  });
  return {
    origin,
    /** Every request since the last `inject`. */
    requests,
    /** Decides the fault of each request from now on. */
    inject: (chooser: typeof choose) => {
      requests.length = 0;
      choose = chooser;
    },
    close,
  };
};
