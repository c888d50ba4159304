/** The documentation pages of this machine in a real browser: `npm run jest -- --selectProjects browser`. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../functions/endpoints/table.ts';
import { type LocalService, startLocalService } from '../../../local/service.ts';
import { FORMS, type Form, type OpenPage, requireSoundPage, testBrowser, WIDE } from './browser.ts';

const LOOKUP = '/docs#tag/vehicles/GET/vehicle/{registration}/insurance';
const LIST = '/docs#tag/content/GET/api/content';
/** The operation of an address, by its summary. */
const SUMMARIES: Readonly<Record<string, string>> = {
  [LOOKUP]: 'Is this vehicle insured?',
  [LIST]: 'List content items',
};
const PAGES = ['/', '/docs', '/docs/errors'];

let service: LocalService;

beforeAll(async () => {
  service = await startLocalService({ port: 0, dynamodbPort: 0 });
});
afterAll(() => service?.stop());

const openAddress = testBrowser();

const open = async (path: string, form: Form): Promise<OpenPage> => {
  const opened = await openAddress(service.origin + path, form);
  await opened.page
    .getByRole('heading', { name: SUMMARIES[path] ?? /.+/ })
    .first()
    .waitFor();
  return opened;
};

/** Opens the form of an operation. */
const openForm = async (form: Form, path = LOOKUP): Promise<OpenPage> => {
  const opened = await open(path, form);
  await opened.page
    .getByRole('region', { name: SUMMARIES[path] ?? '' })
    .getByRole('button', { name: /^Test Request/ })
    .first()
    .click();
  await opened.page.getByRole('dialog').waitFor();
  return opened;
};

/** Sends the form; the request's headers and the response. */
const send = async ({ page }: OpenPage) => {
  const replied = page.waitForResponse(/\/v1\//);
  await page.getByRole('dialog').getByRole('button', { name: /^Send/ }).first().click();
  const response = await replied;
  return { status: response.status(), headers: response.request().headers(), text: await response.text() };
};

describe.each(FORMS)('At $width px in $colorScheme', (form) => {
  it.each(PAGES)('%s has no console message, horizontal scrolling or serious accessibility finding', async (path) => {
    const opened = await open(path, form);
    await requireSoundPage(opened, form);
    expect(await opened.background()).toBe(form.colorScheme === 'dark' ? 'rgb(15, 15, 15)' : 'rgb(255, 255, 255)');
  });

  it('an operation and its form have no serious accessibility finding, and show the response', async () => {
    const opened = await openForm(form);
    expect(await opened.accessibilityFindings()).toEqual([]);
    expect((await send(opened)).status).toBe(200);
    await opened.page.getByText('"insured"').last().waitFor();
    await requireSoundPage(opened, form);
  });
});

describe('The first page', () => {
  /** Replaces the registrations and looks them up, by keyboard only. */
  const lookUp = async ({ page }: Pick<OpenPage, 'page'>, registrations: string) => {
    await page.getByRole('textbox').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(registrations);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: /./ }).waitFor();
  };

  it.each(FORMS)('shows the verdicts in words and the JSON, at $width px in $colorScheme', async (form) => {
    const opened = await open('/', form);
    await lookUp(opened, 'AB12 CDE\n\n tc11all\nZZ99 ZZZ');
    expect(await opened.page.getByRole('status').textContent()).toBe('3 looked up: 2 with a verdict, 1 without one.');
    expect(await opened.page.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^AB12 CDE Yes\. It is insured until \d{4}-\d\d-\d\d; /),
      'tc11all No: its insurance has ended, its MOT has expired, its road tax has expired, a fine is unpaid.',
      'ZZ99 ZZZ No verdict. No vehicle with this registration is in the database.',
    ]);
    expect(await opened.page.locator('#json').textContent()).toContain('"insuranceValid": true');
    await requireSoundPage(opened, form);
  });

  it('shows markup as text, and the sentence of an error', async () => {
    const opened = await open('/', WIDE);
    const markup = '<img src=x onerror=alert(1)><b id=injected>';
    await lookUp(opened, markup);
    expect(await opened.page.getByRole('listitem').first().textContent()).toContain(`${markup} No verdict.`);
    expect(await opened.page.locator('#injected, img').count()).toBe(0);
    expect(opened.messages).toEqual([]);
    await lookUp(opened, 'A1\n'.repeat(1_001));
    await opened.page.getByRole('status').filter({ hasText: '1001 registrations' }).waitFor();
    expect(await opened.page.getByRole('listitem').count()).toBe(0);
  });
});

describe('The reference', () => {
  it('shows its introduction whole', async () => {
    const { page } = await open('/docs', WIDE);
    const hidden = await page
      .locator('.introduction-description')
      .first()
      .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    expect(hidden).toBeLessThanOrEqual(1);
  });

  it('links the codes of an operation to the list of errors', async () => {
    const { page } = await open(LOOKUP, WIDE);
    await page.getByRole('link', { name: 'VEHICLE_NOT_FOUND' }).first().click();
    await page.getByRole('heading', { name: 'VEHICLE_NOT_FOUND' }).waitFor();
  });

  it('has every group of endpoints and requests nothing from another address', async () => {
    const { page, requested } = await open('/docs', WIDE);
    // The endpoints of a group are loaded when it is opened.
    for (const { tag } of Object.values(endpoints)) {
      expect(await page.getByRole('button', { name: tag }).count()).toBeGreaterThan(0);
    }
    expect(requested.length).toBeGreaterThan(4);
    expect(requested.filter((url) => !url.startsWith(service.origin) && !url.startsWith('data:'))).toEqual([]);
  });

  it('sends the test key, and one that is typed in its place', async () => {
    const opened = await openForm(WIDE);
    expect((await send(opened)).headers).toMatchObject({ 'x-api-key': service.keys.test });
    await opened.page
      .getByRole('dialog')
      .getByRole('textbox', { name: 'Value' })
      .first()
      .fill(service.keys.plans.premium ?? '');
    const { status, headers } = await send(opened);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'x-api-key': service.keys.plans.premium });
    expect(headers).not.toHaveProperty('authorization');
  });

  it('shows markup in a response as text', async () => {
    const title = '<img src=x onerror=alert(1)><b id=injected>bold</b>';
    const created = await fetch(`${service.origin}/v1/api/content`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': service.keys.test },
      body: JSON.stringify({ title, content: title, domain: 'news.example', slug: 'markup' }),
    });
    expect(created.status).toBe(201);
    const opened = await openForm(WIDE, LIST);
    // The example skips 20 items.
    await opened.page.getByRole('checkbox', { name: 'Include offset' }).uncheck();
    expect((await send(opened)).text).toContain(title);
    await opened.page.getByRole('dialog').getByText(title).first().waitFor();
    expect(await opened.page.locator('#injected, img[src="x"]').count()).toBe(0);
    expect(opened.messages).toEqual([]);
  });
});
