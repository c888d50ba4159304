/** The documentation site, built and served as files below a path, in a real browser. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { type ProblemCode, problems, problemType } from '../../../core/problems.ts';
import { listen } from '../../../local/server.ts';
import { runCommand } from '../../support/program.ts';
import { FORMS, type Form, type OpenPage, requireSoundPage, testBrowser, WIDE } from '../browser/browser.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SITE_BASE = '/vehicles/';
const SITE_API = 'https://vehicles.example.org';
const DIST = new URL('../../../site/dist/', import.meta.url);
const PAGES = ['index', 'guide', 'reference', 'errors', 'client', 'offices', 'sample-data', 'changelog'].map(
  (name) => `${name}.html`,
);
const PHONE: Form = { width: 390, colorScheme: 'light' };

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** A host that knows files and the index of a folder, and no more. */
const serveFiles = () =>
  createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname);
    const name = path === SITE_BASE ? 'index.html' : path.slice(SITE_BASE.length);
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    readFile(new URL(name, DIST)).then(
      (content) => response.writeHead(200, { 'content-type': type }).end(content),
      () => response.writeHead(404).end(),
    );
  });

let host: Awaited<ReturnType<typeof listen>>;
let address: string;

beforeAll(async () => {
  await runCommand('npm', ['run', 'site'], { cwd: ROOT, env: { ...process.env, SITE_BASE, SITE_API } });
  host = await listen(serveFiles(), 0, '127.0.0.1');
  address = host.origin + SITE_BASE;
}, 300_000);
afterAll(() => host?.close());

const openAddress = testBrowser();

/** Waits for the title, which in the reference is written by a script. */
const open = async (path: string, form: Form): Promise<OpenPage> => {
  const opened = await openAddress(address + path, form);
  await opened.page.getByRole('heading', { level: 1 }).first().waitFor();
  return opened;
};

/** Whether an element is in the window from its left to its right end. */
const isInWindow = async (element: Locator, { width }: Form): Promise<boolean> => {
  const box = await element.boundingBox();
  return box !== null && box.width > 0 && box.x >= 0 && box.x + box.width <= width;
};

/** Where the links of a page lead, and the fragments that it has. */
const read = async (path: string) => {
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
    await requireSoundPage(opened, form);
    expect(opened.requested.filter((url) => !url.startsWith(address) && !url.startsWith('data:'))).toEqual([]);
  });
});

describe.each(PAGES)('On a phone, %s', (path) => {
  it('has a menu that shows every page', async () => {
    const { page } = await open(path, PHONE);
    await page.getByRole('button', { name: 'mobile navigation' }).click();
    const menu = page.locator('#VPNavScreen');
    await menu.getByRole('button', { name: 'More' }).click();
    const shown: string[] = [];
    for (const link of await menu.getByRole('link').all()) {
      if (await isInWindow(link, PHONE)) shown.push((await link.getAttribute('href')) ?? '');
    }
    const home = page.getByRole('banner').getByRole('link', { name: 'Vehicle Verification API' });
    expect(await isInWindow(home, PHONE)).toBe(true);
    expect(shown.toSorted()).toEqual(
      PAGES.filter((other) => other !== 'index.html')
        .map((other) => SITE_BASE + other)
        .toSorted(),
    );
  });
});

describe('The links', () => {
  it('all lead to a file and a section that the site has', async () => {
    const reached = new Map<string, Awaited<ReturnType<typeof read>>>();
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

  it('has the document of the service that it was built for, and no address of another', async () => {
    const text = await (await fetch(`${address}openapi.json`)).text();
    expect(JSON.parse(text)).toMatchObject({ servers: [{ url: `${SITE_API}/v1` }] });
    expect(text).not.toMatch(/localhost|execute-api/);
    const { page } = await open('reference.html', WIDE);
    await page.getByText(`${SITE_API}/v1`).first().waitFor();
    expect(await page.getByRole('button', { name: /^Test Request/ }).count()).toBe(0);
  });

  it.each(PAGES)('names its service, and nothing that only the repository has, in %s', async (path) => {
    const { page } = await open(path, WIDE);
    expect(await page.locator('.VPContent').innerText()).not.toMatch(/api\.example\.com|127\.0\.0\.1|npm start|\.md\b/);
  });

  it.each(['index.html', 'reference.html'])(
    'finds an operation and opens it in the reference, from %s',
    async (path) => {
      const { page, messages, accessibilityFindings } = await open(path, WIDE);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('searchbox').fill('/vehicle/bulk-insurance');
      await page.locator('a.result').first().waitFor();
      expect(await accessibilityFindings()).toEqual([]);
      await page.locator('a.result', { hasText: 'Are these vehicles insured?' }).click();
      await page.getByRole('heading', { name: 'Are these vehicles insured?' }).first().waitFor();
      await page.waitForURL(`${address}reference.html#tag/vehicles/POST/vehicle/bulk-insurance`);
      await page.waitForFunction('scrollY > 0');
      expect(messages).toEqual([]);
    },
  );
});
