/** The reference in a real browser: `npm run test:browser`. Needs Chromium at `CHROMIUM` or /usr/bin/chromium. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type LocalService, startLocalService } from '../../lib/local/service.ts';

const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];
const QUIET = ['--disable-sync', '--no-first-run'];

let service: LocalService;
let browser: Browser;
let page: Page;
let complaints: string[];
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

beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1_100, height: 1_300 } });
  complaints = [];
  requested = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(`${service.origin}/docs`);
  await page.getByText('Is this vehicle insured?').waitFor();
});
afterEach(() => page.close());

const openLookUp = async () => {
  await page.getByText('Is this vehicle insured?').click();
  return page.locator('#operations-Vehicles-vehicleInsurance');
};

const execute = async () => {
  const operation = await openLookUp();
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = operation.locator('.live-responses-table .response').first();
  await answer.waitFor();
  return answer.innerText();
};

const useKey = (key: string) => page.getByLabel('API key').fill(key);

/** The picture for README, from the filled form to the answer, when `PICTURE` names a file for it. */
const takePicture = async () => {
  const path = process.env.PICTURE;
  if (!path) return;
  await page.evaluate("document.querySelector('#operations-Vehicles-vehicleInsurance').scrollIntoView()");
  await page.screenshot({ path });
};

describe('The reference', () => {
  it('opens without a complaint, from this machine alone, with every endpoint', async () => {
    expect(await page.locator('.opblock').count()).toBe(8);
    expect(complaints).toEqual([]);
    expect(requested.length).toBeGreaterThan(4);
    expect(requested.filter((url) => !url.startsWith(service.origin) && !url.startsWith('data:'))).toEqual([]);
  });

  it('tries the look-up with the demo key: 200, and where the caller stands', async () => {
    const answer = await execute();
    expect(answer).toContain('200');
    expect(answer).toContain('"insured": true');
    expect(answer).toMatch(/x-ratelimit-limit: 600\s/);
    expect(answer).toMatch(/x-ratelimit-remaining: \d+\s/);
    expect(answer).toMatch(/x-ratelimit-reset: \d+\s/);
    expect(complaints).toEqual([]);
    await takePicture();
  });

  it('has one field for the key, and sends a key typed there in place of the demo key', async () => {
    expect(await page.getByRole('textbox').count()).toBe(1);
    expect(await page.getByRole('button', { name: /authori[sz]/i }).count()).toBe(0);
    await useKey(` ${service.keys.premium} `);
    const sent = page.waitForRequest(/insurance$/);
    const answer = await execute();
    expect(answer).toContain('200');
    expect(answer).toMatch(/x-ratelimit-limit: 6000\s/);
    const headers = (await sent).headers();
    expect(headers).toMatchObject({ 'x-api-key': service.keys.premium });
    expect(headers).not.toHaveProperty('authorization');
  });

  it('shows 401 for a wrong key', async () => {
    await useKey('vvc_test_wrong');
    const answer = await execute();
    expect(answer).toContain('401');
    expect(answer).toContain('UNAUTHORIZED');
  });

  it('shows 401 without a key', async () => {
    await useKey('');
    expect(await execute()).toContain('UNAUTHORIZED');
  });

  it('leads from a problem to its explanation', async () => {
    await page.goto(`${service.origin}/docs/errors#vehicle-not-found`);
    expect(await page.locator('section:target h2').innerText()).toBe('VEHICLE_NOT_FOUND');
    expect(complaints).toEqual([]);
  });
});
