import { routeNotFound } from '../../core/problems.ts';
import { signingFromEnvironment } from '../../core/runtime/environment.ts';
import { publicKey } from '../../core/signing.ts';
import { servePublic } from '../http/stack.ts';
import { endpoint } from './endpoint.ts';

/** A new key is published for longer than this before it signs (docs/operations.md#signed-answers). */
const CACHING = 'public, max-age=3600';

/** The public keys of signed answers, by which anybody can verify one. docs/contract.md#signed-answers */
export const handler = servePublic(endpoint, async () => {
  const signing = signingFromEnvironment();
  if (signing === undefined) throw routeNotFound();
  return { body: { keys: await Promise.all(signing.keys.map(publicKey)) }, headers: { 'Cache-Control': CACHING } };
});
