/**
 * What this machine serves beside the API, without a key: the reference at `/docs`, the document at `/openapi.json`, and
 * the errors at `/docs/errors`. A deployed service has none of it: it serves nothing without a key.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../../openapi/document.ts';
import type { HttpAnswer } from '../gateway/invocation.ts';
import { errorsPage } from './errors-page.ts';
import { referencePage } from './reference-page.ts';

/** Nothing from outside, nothing inline; the bundle's own icons are `data:` images. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
};

const page = (kind: string, body: Buffer | string): HttpAnswer => ({
  statusCode: 200,
  headers: {
    'content-type': TYPES[kind] ?? '',
    'cache-control': 'no-cache',
    'content-security-policy': CONTENT_SECURITY_POLICY,
    // The page holds a key: no other site may load it, not even as a script.
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
  body: Buffer.from(body),
});

const file = (kind: string, address: string) => async () => page(kind, await readFile(fileURLToPath(address)));
const swagger = (name: string): string => import.meta.resolve(`swagger-ui-dist/${name}`);
const own = (name: string): string => new URL(name, import.meta.url).href;

/** The page at a path, or undefined where the API answers. */
export type LocalPages = (path: string) => Promise<HttpAnswer> | undefined;

/** The pages, with a demo key that the reference fills in. */
export const documentationPages = (demoKey: string): LocalPages => {
  const pages: Readonly<Record<string, () => Promise<HttpAnswer>>> = {
    '/docs': async () => page('html', referencePage(demoKey)),
    '/docs/errors': async () => page('html', errorsPage()),
    '/openapi.json': async () => page('json', JSON.stringify(openApiDocument())),
    '/docs/page.css': file('css', own('page.css')),
    '/docs/reference.js': file('js', own('reference.js')),
    '/docs/favicon.png': file('png', swagger('favicon-32x32.png')),
    '/docs/swagger-ui.css': file('css', swagger('swagger-ui.css')),
    '/docs/swagger-ui-bundle.js': file('js', swagger('swagger-ui-bundle.js')),
  };
  return (path) => (Object.hasOwn(pages, path) ? pages[path]?.() : undefined);
};
