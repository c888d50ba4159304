import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { problems, problemType } from '../../core/problems.ts';
import { documentationPages } from '../../lib/local/docs/pages.ts';
import { type Gateway, startGateway } from '../../lib/local/gateway/gateway.ts';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { environmentOf, startEngine, type TestEngine } from '../support/engine.ts';

let engine: TestEngine;
let gateway: Gateway;

beforeAll(async () => {
  engine = await startEngine();
  Object.assign(process.env, environmentOf(engine));
  gateway = await startGateway({ port: 0, pages: documentationPages('vvc_test_<"demo">') });
});
afterAll(async () => {
  await gateway.close();
  await engine.stop();
});

const get = (path: string, method = 'GET') => fetch(gateway.origin + path, { method });

describe('On this machine, without a key,', () => {
  it.each([
    ['/docs', 'text/html'],
    ['/docs/guide', 'text/html'],
    ['/docs/errors', 'text/html'],
    ['/docs/changelog', 'text/html'],
    ['/openapi.json', 'application/json'],
    ['/docs/scalar.js', 'text/javascript'],
    ['/docs/reference.js', 'text/javascript'],
    ['/docs/colours.js', 'text/javascript'],
    ['/docs/page.css', 'text/css'],
    ['/docs/favicon.svg', 'image/svg+xml'],
    ['/favicon.ico', 'image/svg+xml'],
  ])('%s is served as %s, for this origin only', async (path, type) => {
    const reply = await get(path);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toContain(type);
    expect(reply.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(reply.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self';/,
    );
  });

  it.each(['/', '/docs/'])('%s redirects to the reference', async (path) => {
    const reply = await fetch(gateway.origin + path, { redirect: 'manual' });
    expect([reply.status, reply.headers.get('location')]).toEqual([302, '/docs']);
  });

  it('the OpenAPI document is that of the endpoint table, with the address of the request', async () => {
    const document = openApiDocument({ local: gateway.origin });
    expect(await (await get('/openapi.json')).json()).toEqual(JSON.parse(JSON.stringify(document)));
    expect(document.servers).toContainEqual(expect.objectContaining({ url: `${gateway.origin}/v1` }));
  });

  it('the OpenAPI document has the https address of a forwarded port', async () => {
    const reply = await fetch(`${gateway.origin}/openapi.json`, { headers: { 'x-forwarded-proto': 'https' } });
    const { servers } = (await reply.json()) as { servers: { url: string }[] };
    expect(servers[0]?.url).toBe(`${gateway.origin.replace('http:', 'https:')}/v1`);
  });

  it('the test key is escaped', async () => {
    expect(await (await get('/docs')).text()).toContain('data-key="vvc_test_&lt;&quot;demo&quot;&gt;"');
  });

  it('the type of every problem points to its section', async () => {
    for (const code of Object.keys(problems) as (keyof typeof problems)[]) {
      const [path = '', anchor] = problemType(code).split('#');
      const text = await (await get(path)).text();
      expect(text).toContain(`<h2 id="${anchor}"><a href="#${anchor}">${code}</a></h2>`);
      expect(text).toContain(`<li><a href="#${anchor}">${code}</a></li>`);
    }
  });

  it('links between the Markdown files lead to their pages', async () => {
    const guide = await (await get('/docs/guide')).text();
    expect(guide).toContain('href="/docs/errors#rate-limited"');
    expect(guide).toContain('href="/openapi.json"');
    expect(guide).not.toMatch(/href="[^"]*\.(md|ts)/);
  });

  it.each([
    ['GET', '/docs/nothing'],
    ['GET', '/docs/../package.json'],
    ['GET', '/constructor'],
    ['POST', '/docs'],
    ['GET', '/v1/api/content'],
  ])('%s %s is 401 like everything else', async (method, path) => {
    expect((await get(path, method)).status).toBe(401);
  });
});
