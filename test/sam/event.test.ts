import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const HANDLER = join(import.meta.dirname, '../../lib/local/sam/sam-handler.cjs');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sam-handler-'));
  await copyFile(HANDLER, join(folder, 'sam-handler.cjs'));
  await writeFile(join(folder, 'index.js'), 'exports.handler = (event, context) => ({ event, context });');
});
afterAll(() => rm(folder, { recursive: true }));

describe('The handler before each bundle', () => {
  it('puts time and id of the request where SAM has those of its own start, and changes nothing else', () => {
    const { handler } = createRequire(import.meta.url)(join(folder, 'sam-handler.cjs'));
    const event = { body: 'x', requestContext: { timeEpoch: 1_795_237_972, requestId: 'same for all', routeKey: 'r' } };
    const context = { awsRequestId: 'own' };
    const before = Date.now();
    const received = handler(event, context);
    expect(received.context).toBe(context);
    const { timeEpoch, ...rest } = received.event.requestContext;
    expect(timeEpoch).toBeGreaterThanOrEqual(before);
    expect({ ...received.event, requestContext: rest }).toEqual({
      body: 'x',
      requestContext: { requestId: 'own', routeKey: 'r' },
    });
  });
});
