/** The part of KMS that derives the secrets of the lookup log on this machine. */
import { createHmac } from 'node:crypto';
import type { PerformOperation } from './engine/http-server.ts';

/** The one key, which is no secret: a file of `npm start -- --log` can be searched after a restart too. */
export const LOCAL_KEY = 'local';

/** The operations of the engine, and `GenerateMac`. */
export const withKms =
  (perform: PerformOperation): PerformOperation =>
  async (operation, input) => {
    if (operation !== 'GenerateMac') return perform(operation, input);
    const message = Buffer.from(String(input.Message), 'base64');
    return { status: 200, body: { Mac: createHmac('sha256', LOCAL_KEY).update(message).digest('base64') } };
  };
