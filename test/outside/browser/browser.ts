/** Chromium for the tests of pages: at `CHROMIUM` or /usr/bin/chromium. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';

const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  ...['--disable-sync', '--no-first-run'],
];
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** A window and the colours that its system prefers. */
export interface Form {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

export const WIDE: Form = { width: 1_280, colorScheme: 'light' };

/** A desktop and a phone, each in light and dark. */
export const FORMS: readonly Form[] = [1_280, 390].flatMap((width) => [
  { width, colorScheme: 'light' },
  { width, colorScheme: 'dark' },
]);

const LEVELS = ['error', 'warning'];

const FINDINGS = `axe.run().then(({ violations }) =>
  violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes: [node] }) => id + ': ' + node?.html),
)`;

/** What fades in has too little contrast while it does. An animation that was cancelled has ended too. */
const ANIMATIONS_END = `Promise.allSettled(
  document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished),
).then(() => undefined)`;

const openPage = async (browser: Browser, address: string, { width, colorScheme }: Form) => {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const messages: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (LEVELS.includes(message.type())) messages.push(message.text());
  });
  page.on('pageerror', (error) => messages.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(address);
  return {
    page,
    /** Errors and warnings of its console, and uncaught errors. */
    messages,
    /** The addresses that it requested. */
    requested,
    /** The rules that axe finds broken, and where; without minor and moderate ones. */
    accessibilityFindings: async () => {
      await page.evaluate(ANIMATIONS_END);
      await page.evaluate(AXE);
      return page.evaluate<string[]>(FINDINGS);
    },
    background: () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor'),
  };
};

/** The page that a test has opened. */
export type OpenPage = Awaited<ReturnType<typeof openPage>>;

/** Opens pages in the browser of a test file; each is closed after its test. */
export const testBrowser = (): ((address: string, form: Form) => Promise<OpenPage>) => {
  let browser: Browser;
  const pages: OpenPage[] = [];
  beforeAll(async () => {
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
    browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  });
  afterEach(() => Promise.all(pages.splice(0).map(({ page }) => page.close())));
  afterAll(() => browser?.close());
  return async (address, form) => {
    const opened = await openPage(browser, address, form);
    pages.push(opened);
    return opened;
  };
};

/** That a page has no console message, horizontal scrolling or serious accessibility finding. */
export const requireSoundPage = async (opened: OpenPage, { width }: Form): Promise<void> => {
  expect(await opened.accessibilityFindings()).toEqual([]);
  expect(await opened.page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
  expect(opened.messages).toEqual([]);
};
