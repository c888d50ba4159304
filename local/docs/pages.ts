/** The pages that this machine serves without a key. A deployed service has none. */
import { readFile } from 'node:fs/promises';
import { openApiDocument } from '../../openapi/published-document.ts';
import type { HttpResponse } from '../gateway/invocation.ts';
import { errorsPage, homePage, referencePage } from './html.ts';

/** Allows no other origin and no inline script. Scalar needs inline styles, which cannot use other origins. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

const response = (type: string, body: Buffer | string): HttpResponse => ({
  statusCode: 200,
  headers: {
    'content-type': type,
    'cache-control': 'no-cache',
    'content-security-policy': CONTENT_SECURITY_POLICY,
    // The page contains a key: no other site may load it, not even as a script.
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
  body: Buffer.from(body),
});

const ownFile = (name: string) => readFile(new URL(name, import.meta.url));

/**
 * The script of Scalar, the API reference, from its package for Fastify: `@scalar/api-reference` has the same script,
 * but installs 272 packages (287 MB) in place of 24. Imported on the first request: that takes a third of a second.
 */
export const referenceScript = async (): Promise<string> => {
  const { default: register } = await import('@scalar/fastify-api-reference');
  return new Promise((resolve) => {
    // The part of Fastify that the package uses for its script.
    const reply = { header: () => reply, send: resolve };
    const route = ({ url, handler }: { url: string; handler: (request: undefined, to: typeof reply) => void }) => {
      if (url.endsWith('.js')) handler(undefined, reply);
    };
    register({ route }, { configuration: { url: '/openapi.json' } }, () => undefined);
  });
};

type Content = (origin: string, testKey: string) => Promise<Buffer | string> | string;
type Page = readonly [type: string, content: Content];

const PAGES: Readonly<Record<string, Page>> = {
  '/': [HTML, (_origin, testKey) => homePage(testKey)],
  '/docs': [HTML, (_origin, testKey) => referencePage(testKey)],
  '/docs/errors': [HTML, errorsPage],
  '/openapi.json': ['application/json', (origin) => JSON.stringify(openApiDocument(origin))],
  '/docs/page.css': [CSS, () => ownFile('page.css')],
  '/docs/reference.css': [CSS, () => ownFile('reference.css')],
  '/docs/home.js': [JAVASCRIPT, () => ownFile('home.js')],
  '/docs/reference.js': [JAVASCRIPT, () => ownFile('reference.js')],
  '/docs/scalar.js': [JAVASCRIPT, referenceScript],
  '/docs/favicon.svg': ['image/svg+xml', () => ownFile('favicon.svg')],
};

/** The page at a path of an origin; undefined where the API responds. Pages send `testKey`. */
export const documentationPages =
  (testKey: string) =>
  async (path: string, origin: string): Promise<HttpResponse | undefined> => {
    const [type, content] = (Object.hasOwn(PAGES, path) && PAGES[path]) || [];
    if (type === undefined || content === undefined) return undefined;
    return response(type, await content(origin, testKey));
  };
