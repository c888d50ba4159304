/** A database in a process of its own that takes whatever it is given, keeps nothing, and tells how many items came. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const REPORT_EVERY_ITEMS = 1_000;

let items = 0;

const count = (requestItems: Readonly<Record<string, readonly unknown[]>>): void => {
  const before = items;
  for (const writes of Object.values(requestItems)) items += writes.length;
  if (Math.floor(before / REPORT_EVERY_ITEMS) < Math.floor(items / REPORT_EVERY_ITEMS)) process.send?.(items);
};

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { RequestItems = {} } = (await json(request)) as { RequestItems?: Record<string, unknown[]> };
  count(RequestItems);
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{"UnprocessedItems":{}}');
};

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('disconnect', () => process.exit(0));
