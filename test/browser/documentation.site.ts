/** The documentation site, built and served as files below a path, in a real browser: `npm run test:site`. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ProblemCode, problems, problemType } from '../../core/problems.ts';
import { runCommand } from '../support/run-command.ts';
import { FORMS, type Form, type OpenPage, requireSoundPage, testBrowser, WIDE } from './browser.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SITE_BASE = '/vehicles/';
const SITE_API = 'https://api.example.com';
const DIST = new URL('../../site/dist/', import.meta.url);
const PAGES = ['index', 'guide', 'reference', 'errors', 'client', 'changelog', 'sample-data', 'nightly-check'].map(
  (name) => `${name}.html`,
);

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** A host that knows files and the index of a folder, and no more. */
const serveFiles = (): Server =>
  createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname);
    const name = path === SITE_BASE ? 'index.html' : path.slice(SITE_BASE.length);
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    readFile(new URL(name, DIST)).then(
      (content) => response.writeHead(200, { 'content-type': type }).end(content),
      () => response.writeHead(404).end(),
    );
  });

let host: Server;
let address: string;

beforeAll(async () => {
  await runCommand('npm', ['run', 'site'], { cwd: ROOT, env: { ...process.env, SITE_BASE, SITE_API } });
  host = serveFiles().listen(0, '127.0.0.1');
  await once(host, 'listening');
  address = `http://127.0.0.1:${(host.address() as AddressInfo).port}${SITE_BASE}`;
}, 300_000);
afterAll(() => {
  host?.closeAllConnections();
  host?.close();
});

const openAddress = testBrowser();

const open = async (path: string, form: Form): Promise<OpenPage> => {
  const opened = await openAddress(address + path, form);
  await opened.page.getByRole('heading').first().waitFor();
  return opened;
};

interface Reached {
  readonly links: readonly string[];
  readonly fragments: ReadonlySet<string>;
}

/** Where the links of a page lead, and the fragments that it has. */
const read = async (path: string): Promise<Reached> => {
  const { page } = await open(path, WIDE);
  const links = await page
    .locator('a[href]')
    .evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
  const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
  return { links, fragments: new Set(ids) };
};

describe.each(FORMS)('At $width px in $colorScheme', (form) => {
  it.each(PAGES)('%s has no console message, horizontal scrolling or serious accessibility finding', async (path) => {
    const opened = await open(path, form);
    await requireSoundPage(opened, form, `site-${path.replace('.html', '')}`);
    expect(opened.requested.filter((url) => !url.startsWith(address) && !url.startsWith('data:'))).toEqual([]);
  });
});

describe('The links', () => {
  it('all lead to a file and a section that the site has', async () => {
    const reached = new Map<string, Reached>();
    for (const path of PAGES) reached.set(address + path, await read(path));
    const found = [...reached].flatMap(([from, { links }]) => links.map((link) => ({ from, link })));
    const own = found.filter(({ link }) => link.startsWith(address));
    const broken: string[] = [];
    for (const { from, link } of own) {
      const [file = '', fragment = ''] = link.split('#');
      const page = reached.get(file === address ? `${address}index.html` : file);
      const isFound = page ? true : (await fetch(file)).status === 200;
      // The reference makes its sections as they are opened.
      const hasSection = !page || file.endsWith('/reference.html') || page.fragments.has(decodeURIComponent(fragment));
      if (!isFound || (fragment && !hasSection)) broken.push(`${from} → ${link}`);
    }
    expect(broken).toEqual([]);
    expect(own.length).toBeGreaterThan(150);
  });

  it('of problems lead to their sections, when the settings name the address of the site', async () => {
    const { page } = await open('errors.html', WIDE);
    for (const code of Object.keys(problems) as ProblemCode[]) {
      const type = problemType(code, address.replace(/\/$/, ''));
      await page.goto(type);
      expect(page.url()).toBe(type);
      expect(await page.locator(':target').innerText()).toContain(code);
    }
  });
});

describe('The site', () => {
  it("offers the client's package, whose checksum is beside it", async () => {
    const { page } = await open('client.html', WIDE);
    const file = page.getByRole('link', { name: /^vehicle-verification-.*\.tgz$/ });
    const content = await (
      await fetch(new URL((await file.getAttribute('href')) ?? '', `${address}client.html`))
    ).bytes();
    const hash = createHash('sha256').update(content).digest('hex');
    expect(await (await fetch(`${address}SHA256SUMS`)).text()).toBe(`${hash}  ${await file.innerText()}\n`);
  });

  it('has an llms.txt, whose links lead to files of the site', async () => {
    const text = await (await fetch(`${address}llms.txt`)).text();
    const files = [...text.matchAll(/\]\((.*?)\)/g)].map(([, file]) => file);
    expect(files).toContain('openapi.json');
    const statuses = await Promise.all(files.map(async (file) => (await fetch(address + file)).status));
    expect(statuses).toEqual(files.map(() => 200));
  });

  it('has the document of the service that it was built for, and no address of another', async () => {
    const text = await (await fetch(`${address}openapi.json`)).text();
    expect(JSON.parse(text)).toMatchObject({ servers: [{ url: `${SITE_API}/v1` }] });
    expect(text).not.toMatch(/localhost|execute-api/);
    const { page } = await open('reference.html', WIDE);
    await page.getByText(`${SITE_API}/v1`).first().waitFor();
    expect(await page.getByRole('button', { name: /^Test Request/ }).count()).toBe(0);
  });

  it('finds a word and links to a section that contains it', async () => {
    const { page, messages, accessibilityFindings } = await open('index.html', WIDE);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('Idempotency-Key');
    await page.locator('a.result').first().waitFor();
    expect(await accessibilityFindings()).toEqual([]);
    await page.locator('a.result').first().click();
    await page.getByText('Idempotency-Key').first().waitFor();
    expect(page.url()).toMatch(/\.html#/);
    expect(messages).toEqual([]);
  });

  it('keeps the colours chosen in the reference or on a page', async () => {
    const opened = await open('reference.html', WIDE);
    await opened.page.getByRole('button', { name: 'Dark' }).click();
    await opened.page.getByRole('link', { name: 'Guide' }).click();
    await opened.page.getByRole('heading', { name: 'Integrating' }).waitFor();
    expect(await opened.page.locator('html.dark').count()).toBe(1);
    await opened.page.getByRole('switch').first().click();
    await opened.page.getByRole('link', { name: 'Reference' }).click();
    await opened.page.getByRole('button', { name: 'Dark' }).waitFor();
    expect(await opened.background()).toBe('rgb(255, 255, 255)');
  });
});
