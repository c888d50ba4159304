import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

it('The sam local handler replaces the time and the id of a request, and changes nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sam-handler-'));
  await copyFile(join(import.meta.dirname, '../../lib/local/sam/sam-handler.cjs'), join(folder, 'index.js'));
  await writeFile(join(folder, 'bundle.js'), 'exports.handler = (event, context) => ({ event, context });');
  const { handler } = createRequire(import.meta.url)(join(folder, 'index.js'));
  await rm(folder, { recursive: true });
  const context = { awsRequestId: 'own' };
  const before = Date.now();
  const received = handler(
    { body: 'x', requestContext: { timeEpoch: 1_795_237_972, requestId: 'same for all', routeKey: 'r' } },
    context,
  );
  expect(received.context).toBe(context);
  expect(received.event).toEqual({
    body: 'x',
    requestContext: { timeEpoch: expect.any(Number), requestId: 'own', routeKey: 'r' },
  });
  expect(received.event.requestContext.timeEpoch).toBeGreaterThanOrEqual(before);
});
