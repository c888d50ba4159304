/** The documentation pages in a real browser: `npm run test:browser`. Needs Chromium at `CHROMIUM` or /usr/bin/chromium. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { endpoints } from '../../functions/endpoints.ts';
import { type LocalService, startLocalService } from '../../lib/local/service.ts';

const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];
const QUIET = ['--disable-sync', '--no-first-run'];
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const LOOKUP = '/docs#tag/vehicles/GET/vehicle/{registration}/insurance';

interface Form {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

const FORMS: readonly Form[] = [1_280, 390].flatMap((width) => [
  { width, colorScheme: 'light' },
  { width, colorScheme: 'dark' },
]);
const [WIDE = { width: 1_280, colorScheme: 'light' }] = FORMS;
const PAGES = ['/docs', '/docs/guide', '/docs/errors', '/docs/changelog'];

let service: LocalService;
let browser: Browser;
let page: Page;
let messages: string[];
let requested: string[];

beforeAll(async () => {
  service = await startLocalService({ port: 0, dynamodbPort: 0 });
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  browser = await chromium.launch({ executablePath, args: [...ARGUMENTS, ...QUIET] });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
afterEach(() => page.close());

/** Pictures of the pages for a person to look at, and for README, when `PICTURES` names a folder for them. */
const takePicture = async (name: string) => {
  const folder = process.env.PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
};

const open = async (path: string, { width, colorScheme }: Form) => {
  page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  messages = [];
  requested = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) messages.push(message.text());
  });
  page.on('pageerror', (error) => messages.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(service.origin + path);
  const heading = path === LOOKUP ? 'Is this vehicle insured?' : /.+/;
  await page.getByRole('heading', { name: heading }).first().waitFor();
};

interface Axe {
  readonly run: () => Promise<{ readonly violations: readonly { readonly id: string; readonly impact: string }[] }>;
}

/** The rules that axe finds broken, apart from minor and moderate ones. */
const accessibilityFindings = async (): Promise<string[]> => {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run());
  return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id }) => id);
};

const scrollWidth = () => page.evaluate<number>('document.documentElement.scrollWidth');
const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');

const nameOf = (path: string, { width, colorScheme }: Form) =>
  `${path.split('/').at(-1)?.replace(/\W/g, '')}-${width}-${colorScheme}`;

/** Opens the form of the insurance lookup. */
const openForm = async (form: Form) => {
  await open(LOOKUP, form);
  await page
    .getByRole('button', { name: /^Test Request/ })
    .first()
    .click();
  await page.getByRole('dialog').waitFor();
};

/** Sends the form; the request's headers and the response. */
const send = async () => {
  const replied = page.waitForResponse(/\/v1\//);
  await page.getByRole('dialog').getByRole('button', { name: /^Send/ }).first().click();
  const response = await replied;
  return { status: response.status(), headers: response.request().headers(), text: await response.text() };
};

describe.each(FORMS)('At $width px in $colorScheme', (form) => {
  it.each(PAGES)('%s has no console message, horizontal scrolling or serious accessibility finding', async (path) => {
    await open(path, form);
    await takePicture(nameOf(path, form));
    expect(await accessibilityFindings()).toEqual([]);
    expect(await scrollWidth()).toBe(form.width);
    expect(messages).toEqual([]);
    expect(await background()).toBe(form.colorScheme === 'dark' ? 'rgb(15, 15, 15)' : 'rgb(255, 255, 255)');
  });

  it('an operation and its form have none either, and the response is shown', async () => {
    await openForm(form);
    expect(await accessibilityFindings()).toEqual([]);
    expect((await send()).status).toBe(200);
    await page.getByText('"insured"').last().waitFor();
    await takePicture(nameOf('form', form));
    expect(await accessibilityFindings()).toEqual([]);
    expect(await scrollWidth()).toBe(form.width);
    expect(messages).toEqual([]);
  });
});

describe('The reference', () => {
  it('is opened by the address of the service', async () => {
    await open('/', WIDE);
    expect(page.url()).toBe(`${service.origin}/docs`);
  });

  it('has every group of endpoints and requests nothing from another address', async () => {
    await open('/docs', WIDE);
    // The endpoints of a group are loaded when it is opened.
    for (const { tag } of Object.values(endpoints)) {
      expect(await page.getByRole('button', { name: tag }).count()).toBeGreaterThan(0);
    }
    expect(requested.length).toBeGreaterThan(4);
    expect(requested.filter((url) => !url.startsWith(service.origin) && !url.startsWith('data:'))).toEqual([]);
  });

  it('shows one operation in less than 1,200 px', async () => {
    await open(LOOKUP, WIDE);
    const operation = page.locator('section[id$="GET/vehicle/{registration}/insurance"]');
    expect((await operation.boundingBox())?.height).toBeLessThan(1_200);
  });

  it('sends the test key, and one that is typed in its place', async () => {
    await openForm(WIDE);
    expect((await send()).headers).toMatchObject({ 'x-api-key': service.keys.test });
    await page.getByRole('dialog').getByRole('textbox', { name: 'Value' }).first().fill(service.keys.premium);
    const { status, headers } = await send();
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'x-api-key': service.keys.premium });
    expect(headers).not.toHaveProperty('authorization');
  });

  it('changes its colours at once and keeps the choice on the next page', async () => {
    await open('/docs', WIDE);
    await page.getByRole('button', { name: 'Dark' }).click();
    expect(await background()).toBe('rgb(15, 15, 15)');
    await page.getByRole('link', { name: 'Guide' }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    expect(await background()).toBe('rgb(15, 15, 15)');
  });
});

describe('The errors', () => {
  it('are where the type of a problem leads', async () => {
    await open('/docs/errors#vehicle-not-found', WIDE);
    expect(await page.locator(':target').innerText()).toBe('VEHICLE_NOT_FOUND');
    expect(messages).toEqual([]);
  });
});
