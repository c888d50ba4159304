/**
 * DynamoDB's protocol over TLS with canned answers, as fast as Node serves them, in a process of its own: what it costs is
 * not counted. Anything but the requests of an insurance look-up is refused, so that whoever sends it notices.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { cannedAnswers } from './canned-answers.ts';

/** Longer than any measurement, so that no connection is closed under it. */
const KEEP_ALIVE_MS = 600_000;

const REFUSED = '{"__type":"com.amazon.coral.validate#ValidationException","message":"not part of a look-up"}';

const [key = '', privateKey = '', certificate = ''] = process.argv.slice(2);
const answers = cannedAnswers(key, new Date());

/** Requests by operation and table, since the parent last asked. */
let tally: Record<string, number> = {};

const respondTo = (target: unknown, body: string) => {
  // `DynamoDB_20120810.GetItem`
  const operation = String(target).split('.')[1] ?? '';
  const { TableName } = JSON.parse(body) as { readonly TableName: string };
  const request = `${operation} ${TableName}`;
  tally[request] = (tally[request] ?? 0) + 1;
  return answers[request];
};

const tls = { key: readFileSync(privateKey), cert: readFileSync(certificate) };

const server = createServer({ ...tls, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    const answer = respondTo(request.headers['x-amz-target'], body);
    const sent = answer ?? REFUSED;
    response.writeHead(answer === undefined ? 400 : 200, {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': Buffer.byteLength(sent),
    });
    response.end(sent);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('message', () => {
  process.send?.(tally);
  tally = {};
});
process.on('disconnect', () => process.exit(0));
