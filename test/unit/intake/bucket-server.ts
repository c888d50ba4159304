import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Version {
  readonly key: string;
  readonly version: string;
  readonly lastModified: Date;
  readonly content: string;
  /** S3's error in place of the content. */
  readonly error?: string;
  /** A size that the list shows in place of the content's. */
  readonly bytes?: number;
}

/** Versions of a page: few, so that every list has pages. */
const PAGE = 2;

/** As S3 writes keys in XML. */
const encoded = (key: string): string => encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/');

/**
 * A versioned bucket that speaks as much of S3 as loads use, so that S3's own client reads its lists, keys and streams.
 * An emulator would take seconds to start, and sets LastModified itself.
 */
export const startBucket = async () => {
  const versions: Version[] = [];
  const puts: string[] = [];
  let beforeDownload: ((key: string) => void) | undefined;
  const add = (
    key: string,
    content: string,
    lastModified: Date,
    facts: Pick<Version, 'error' | 'bytes'> = {},
  ): string => {
    const version = `v${versions.length + 1}`;
    versions.push({ key, version, lastModified, content, ...facts });
    return version;
  };
  const latest = (key: string) => versions.findLast((one) => one.key === key);

  const list = (response: ServerResponse, query: URLSearchParams): void => {
    const after = query.get('version-id-marker');
    const all = versions
      .filter(({ key }) => key.startsWith(query.get('prefix') ?? ''))
      .toSorted((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
    const rest = all.slice(all.findIndex(({ version }) => version === after) + 1);
    const page = rest.slice(0, PAGE);
    const items = page.map(
      (one) =>
        `<Version><Key>${encoded(one.key)}</Key><VersionId>${one.version}</VersionId><IsLatest>${one === latest(one.key)}</IsLatest><LastModified>${one.lastModified.toISOString()}</LastModified><Size>${one.bytes ?? Buffer.byteLength(one.content)}</Size></Version>`,
    );
    const last = page.at(-1);
    const more =
      rest.length > PAGE
        ? `<IsTruncated>true</IsTruncated><NextKeyMarker>${encoded(last?.key ?? '')}</NextKeyMarker><NextVersionIdMarker>${last?.version}</NextVersionIdMarker>`
        : '';
    response.end(`<ListVersionsResult><EncodingType>url</EncodingType>${items.join('')}${more}</ListVersionsResult>`);
  };

  const server = createServer(async (request, response) => {
    // No `URL`, which would follow the dots of a key.
    const [path = '', query = ''] = request.url?.split('?') ?? [];
    const key = decodeURIComponent(path.replace(/^\/files\/?/, ''));
    if (key === '') return list(response, new URLSearchParams(query));
    const parameters = new URLSearchParams(query);
    if (request.method === 'PUT') {
      add(key, await text(request), new Date());
      puts.push(key);
      return response.end();
    }
    const id = parameters.get('versionId');
    const found = id === null ? latest(key) : versions.find(({ version }) => version === id);
    beforeDownload?.(key);
    if (found === undefined) return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    if (found.error !== undefined) {
      return response.writeHead(403).end(`<Error><Code>${found.error}</Code></Error>`);
    }
    return response.end(found.content);
  });
  // A load may take longer than an idle connection stays open; closing it would be a fault that no test chose.
  server.keepAliveTimeout = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    endpoint,
    /** The keys that were put by a load, in order. */
    puts,
    /** Puts a file as a supplier does. @returns its version */
    add,
    textOf: (key: string): string | undefined => latest(key)?.content,
    keys: (): string[] => [...new Set(versions.map(({ key }) => key))],
    /** Called before each object is sent. */
    onDownload: (act: typeof beforeDownload): void => {
      beforeDownload = act;
    },
    clear: (): void => {
      versions.length = 0;
      puts.length = 0;
      beforeDownload = undefined;
    },
    stop: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

export type TestBucket = Awaited<ReturnType<typeof startBucket>>;
