import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { problems, problemType } from '../../functions/problems.ts';
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
    ['/docs/errors', 'text/html'],
    ['/openapi.json', 'application/json'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript'],
    ['/docs/swagger-ui.css', 'text/css'],
    ['/docs/page.css', 'text/css'],
    ['/docs/reference.js', 'text/javascript'],
    ['/docs/favicon.png', 'image/png'],
  ])('%s is served as %s, for this origin only', async (path, type) => {
    const reply = await get(path);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toContain(type);
    expect(reply.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(reply.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  });

  it('the OpenAPI document is that of the endpoint table', async () => {
    expect(await (await get('/openapi.json')).json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  it('the demo key is escaped', async () => {
    expect(await (await get('/docs')).text()).toContain('value="vvc_test_&lt;&quot;demo&quot;&gt;"');
  });

  it('the type of every problem points to its section', async () => {
    for (const code of Object.keys(problems) as (keyof typeof problems)[]) {
      const [path = '', anchor] = problemType(code).split('#');
      expect(await (await get(path)).text()).toContain(`<section id="${anchor}"><h2><a href="#${anchor}">${code}</a>`);
    }
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
