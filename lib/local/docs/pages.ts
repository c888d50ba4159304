/**
 * The pages that this machine serves without a key: the API reference at `/docs`, the OpenAPI document at `/openapi.json`, and
 * the errors at `/docs/errors`. A deployed service has none of them: it requires a key for every request.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../../openapi/document.ts';
import { type ExplainedProblem, explainedProblems } from '../../openapi/error-list.ts';
import type { HttpResponse } from '../gateway/invocation.ts';

/** No other origin, nothing inline. The icons in the bundle of Swagger UI are `data:` images. */
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

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for the content of an element or a quoted attribute. */
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);

/** A whole page. `head` and `body` are HTML. */
const htmlPage = (title: string, body: string, head = ''): string => `<!doctype html>
<html lang="en-GB">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/docs/favicon.png">
<link rel="stylesheet" href="/docs/page.css">
${head}
${body}
</html>
`;

/** The reference with its forms, and one field for the key that their requests send. */
const referencePage = (demoKey: string): string =>
  htmlPage(
    'Vehicle verification API',
    `<p class="key"><label for="api-key">API key</label>
<input id="api-key" value="${escapeHtml(demoKey)}" autocomplete="off" spellcheck="false">
A demo key of the standard plan; replace it with your own.</p>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js"></script>`,
    '<link rel="stylesheet" href="/docs/swagger-ui.css">',
  );

/** Markdown with `code` in backticks as HTML. */
const proseHtml = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const errorSection = ({ code, anchor, status, title, meaning, remedy }: ExplainedProblem): string =>
  `<section id="${anchor}"><h2><a href="#${anchor}">${code}</a></h2>
<p><strong>${status} ${title}.</strong> ${proseHtml(meaning)}</p><p>${proseHtml(remedy)}</p></section>`;

/** The page to which the `type` of every problem document points. */
const errorsPage = (): string =>
  htmlPage(
    'Errors',
    `<main class="errors"><h1>Errors</h1><p><a href="/docs">API reference</a></p>${explainedProblems.map(errorSection).join('\n')}</main>`,
  );

const page = (kind: string, body: Buffer | string): HttpResponse => ({
  statusCode: 200,
  headers: {
    'content-type': TYPES[kind] ?? '',
    'cache-control': 'no-cache',
    'content-security-policy': CONTENT_SECURITY_POLICY,
    // The page contains a key: no other site may load it, not even as a script.
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
  body: Buffer.from(body),
});

const file = (kind: string, url: string) => async () => page(kind, await readFile(fileURLToPath(url)));
const swaggerFile = (name: string): string => import.meta.resolve(`swagger-ui-dist/${name}`);
const ownFile = (name: string): string => new URL(name, import.meta.url).href;

/** The page at a path; undefined where the API responds. */
export type LocalPages = (path: string) => Promise<HttpResponse> | undefined;

/** The pages. The reference is filled in with `demoKey`. */
export const documentationPages = (demoKey: string): LocalPages => {
  const pages: Readonly<Record<string, () => Promise<HttpResponse>>> = {
    '/docs': async () => page('html', referencePage(demoKey)),
    '/docs/errors': async () => page('html', errorsPage()),
    '/openapi.json': async () => page('json', JSON.stringify(openApiDocument())),
    '/docs/page.css': file('css', ownFile('page.css')),
    '/docs/reference.js': file('js', ownFile('reference.js')),
    '/docs/favicon.png': file('png', swaggerFile('favicon-32x32.png')),
    '/docs/swagger-ui.css': file('css', swaggerFile('swagger-ui.css')),
    '/docs/swagger-ui-bundle.js': file('js', swaggerFile('swagger-ui-bundle.js')),
  };
  return (path) => (Object.hasOwn(pages, path) ? pages[path]?.() : undefined);
};
