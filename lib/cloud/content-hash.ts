import { readdirSync } from 'node:fs';
import { FileSystem } from 'aws-cdk-lib';

/** What V8 compiled in advance: of the same code it is never twice the same to the byte. */
const COMPILED = '.cache';

/** Changes with a function's code and with the Node that compiled it, so that a deployment of neither changes nothing. */
export const contentHash = (bundle: string): string =>
  FileSystem.fingerprint(bundle, {
    exclude: [`*${COMPILED}`],
    extraHash: readdirSync(bundle)
      .filter((name) => name.endsWith(COMPILED))
      .join(),
  });
