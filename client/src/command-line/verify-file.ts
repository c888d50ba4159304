import { createReadStream } from 'node:fs';
import { findMark } from '../../../csv/encoding.ts';
import { type Line, readLines } from '../../../csv/lines.ts';
import { InvalidReceipt, type KeySet, type ReceiptClaims, readKeySet, readReceipt } from '../receipts.ts';
import type { VerifyArguments } from './arguments.ts';
import { complianceCheck, entryLine, insuranceCheck } from './checks.ts';
import { CannotRun, reasonOf, requireFile, unreadable } from './failure.ts';
import { formatNumber } from './summary.ts';

/** Milliseconds for the key set to arrive. */
const TIMEOUT_MS = 15_000;
/** Maximum size of a key set. A key has about 250 bytes. */
const MAX_KEY_SET_BYTES = 1_000_000;
/** Characters of a receipt: API Gateway returns at most 10 MB. */
const MAX_RECEIPT_LENGTH = 10_000_000;

/** The bytes at an address or in a file. */
const openKeySet = async (jwks: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> => {
  if (!/^https?:\/\//.test(jwks)) return createReadStream(jwks);
  const response = await fetch(jwks, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
  return response.body;
};

/** @throws CannotRun when there is no key set at the address or in the file */
const fetchKeySet = async (jwks: string, signal: AbortSignal): Promise<KeySet> => {
  try {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of await openKeySet(jwks, signal)) {
      bytes += chunk.length;
      if (bytes > MAX_KEY_SET_BYTES) throw new Error('it is too large');
      chunks.push(chunk);
    }
    // The decoder leaves out a byte order mark.
    return await readKeySet(JSON.parse(new TextDecoder().decode(Buffer.concat(chunks))));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyntaxError) throw new CannotRun(`The key set ${jwks} is not JSON.`);
    const { cause = error, code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw unreadable(jwks, error);
    throw new CannotRun(`The key set ${jwks} cannot be used (${reasonOf(cause).replace(/\.$/, '')}).`);
  }
};

/** The lines of a file that are not blank, in constant memory. @throws CannotRun when it cannot be read */
async function* receiptsIn({ source: path, encoding: given }: VerifyArguments): AsyncGenerator<Line> {
  await requireFile(path);
  try {
    const marked = await findMark(path, given);
    const encoding = given ?? marked ?? 'utf-8';
    for await (const { lines } of readLines({ path, encoding }, MAX_RECEIPT_LENGTH)) {
      // `trim` removes byte order marks too.
      for (const line of lines) if (line.text.trim() !== '') yield { ...line, text: line.text.trim() };
    }
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Maximum number of characters that are printed of an answer of an unknown kind. */
const MAX_ANSWER = 1_000;

interface Answer {
  readonly registration?: string;
  readonly insured?: unknown;
  readonly compliant?: unknown;
  readonly code?: unknown;
  /** The day that was asked for; absent for the day of the request. */
  readonly asOf?: string;
}

/** The line for one vehicle. An answer of an unknown kind is printed as JSON. */
const answerLine = (entry: Answer, { request, answer }: ReceiptClaims): string => {
  const [, inPath = ''] = /\/(?:vehicle|compliance)\/([^/]+)/.exec(request.path) ?? [];
  const registration = entry.registration ?? inPath.replaceAll('%20', ' ');
  const { asOf } = answer as Answer;
  if (typeof entry.compliant === 'boolean') return entryLine(complianceCheck, registration, entry, asOf);
  const isKnown = typeof entry.insured === 'boolean' || typeof entry.code === 'string';
  return isKnown ? entryLine(insuranceCheck, registration, entry, asOf) : JSON.stringify(entry).slice(0, MAX_ANSWER);
};

/** Says when and for whom the answer was given, and then has a line for each vehicle. */
const receiptLines = (claims: ReceiptClaims): string[] => {
  const { iat, aud, jti, request, sandbox, answer } = claims;
  const { asOf, results } = answer as Answer & { readonly results?: readonly Answer[] };
  const at = `${sandbox ? 'sandbox, ' : ''}${new Date(iat * 1_000).toISOString().replace('.000', '')}`;
  const question = `${request.method} ${request.path}${asOf === undefined ? '' : ` for ${asOf}`}`;
  const entries = (results ?? [answer as Answer]).map((entry) => `  ${answerLine(entry, claims)}`);
  return [`${at}, for key ${aud}, request ${jti}: ${question}`, ...entries];
};

/** @throws InvalidReceipt when the receipt does not hold */
const verifyReceipt = async (text: string, keys: KeySet, { issuer, acceptsSandbox }: VerifyArguments) => {
  const claims = await readReceipt(text, keys);
  if (claims.iss !== issuer.replace(/\/$/, '')) {
    throw new InvalidReceipt(`The receipt is of the issuer ${claims.iss}, not of ${issuer}.`);
  }
  if (claims.sandbox && !acceptsSandbox) {
    throw new InvalidReceipt('The receipt is of the sandbox, whose vehicles are made up: --sandbox accepts it.');
  }
  return claims;
};

/** Prints each receipt of a file; true if all hold. @throws CannotRun when there are no keys or no receipts */
export const verifyFile = async (
  args: VerifyArguments,
  signal: AbortSignal,
  print: (...lines: string[]) => Promise<void>,
): Promise<boolean> => {
  const keys = await fetchKeySet(args.jwks, signal);
  let [found, held] = [0, 0];
  for await (const { line, text } of receiptsIn(args)) {
    signal.throwIfAborted();
    found += 1;
    try {
      const [first, ...more] = receiptLines(await verifyReceipt(text, keys, args));
      await print(`Line ${line} holds: ${first}`, ...more);
      held += 1;
    } catch (error) {
      if (!(error instanceof InvalidReceipt)) throw error;
      await print(`Line ${line} does not hold. ${error.message}`);
    }
  }
  if (found === 0) throw new CannotRun(`${args.source} has no receipts.`);
  await print(`${formatNumber(held)} of ${formatNumber(found)} receipts hold.`);
  return held === found;
};
