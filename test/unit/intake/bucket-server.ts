import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';

interface Version {
  readonly key: string;
  readonly version: string;
  readonly lastModified: Date;
  readonly content: string | Buffer;
  /** S3's error in place of the content. */
  readonly error?: string;
  /** A size that the list shows in place of the content's. */
  readonly bytes?: number;
}

/** Versions of a page: few, so that every list has pages. */
const PAGE = 2;

/** As S3 writes keys in XML. */
const encoded = (key = ''): string => encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/');

/**
 * A versioned bucket for the tests of a file, empty before each of them. It speaks as much of S3 as loads use, so that
 * S3's own client reads its lists, keys and streams. An emulator would take seconds to start, and sets LastModified
 * itself.
 */
export const useBucket = () => {
  const versions: Version[] = [];
  const puts: string[] = [];
  let beforeDownload: ((key: string) => void) | undefined;
  let refusesPuts = false;
  const add = (
    key: string,
    content: string | Buffer,
    lastModified: Date,
    facts: Pick<Version, 'error' | 'bytes'> = {},
  ): string => {
    const version = `v${versions.length + 1}`;
    versions.push({ key, version, lastModified, content, ...facts });
    return version;
  };
  const latest = (key: string) => versions.findLast((one) => one.key === key);

  const versionXml = ({ key, version, lastModified, content, bytes = Buffer.byteLength(content) }: Version) => {
    const isLatest = latest(key)?.version === version;
    return `<Version><Key>${encoded(key)}</Key><VersionId>${version}</VersionId><IsLatest>${isLatest}</IsLatest><LastModified>${lastModified.toISOString()}</LastModified><Size>${bytes}</Size></Version>`;
  };
  const list = (response: ServerResponse, query: URLSearchParams): void => {
    const after = query.get('version-id-marker');
    const all = versions
      .filter(({ key }) => key.startsWith(query.get('prefix') ?? ''))
      .toSorted((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
    const rest = all.slice(all.findIndex(({ version }) => version === after) + 1);
    const page = rest.slice(0, PAGE);
    const last = page.at(-1);
    const next = `<NextKeyMarker>${encoded(last?.key)}</NextKeyMarker><NextVersionIdMarker>${last?.version}</NextVersionIdMarker>`;
    const more = rest.length > PAGE ? `<IsTruncated>true</IsTruncated>${next}` : '';
    const items = page.map(versionXml).join('');
    response.end(`<ListVersionsResult><EncodingType>url</EncodingType>${items}${more}</ListVersionsResult>`);
  };

  const server = createServer(async (request, response) => {
    // No `URL`, which would follow the dots of a key.
    const [path = '', query = ''] = request.url?.split('?') ?? [];
    const key = decodeURIComponent(path.replace(/^\/files\/?/, ''));
    const parameters = new URLSearchParams(query);
    if (key === '') return list(response, parameters);
    if (request.method === 'PUT') {
      if (refusesPuts) return response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
      add(key, await text(request), new Date());
      puts.push(key);
      return response.end();
    }
    const id = parameters.get('versionId');
    const found = id === null ? latest(key) : versions.find(({ version }) => version === id);
    beforeDownload?.(key);
    if (found === undefined) return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    if (found.error !== undefined) return response.writeHead(403).end(`<Error><Code>${found.error}</Code></Error>`);
    return response.end(found.content);
  });
  // A load may take longer than an idle connection stays open; closing it would be a fault that no test chose.
  server.keepAliveTimeout = 0;
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  beforeEach(() => {
    versions.length = 0;
    puts.length = 0;
    beforeDownload = undefined;
    refusesPuts = false;
  });
  afterAll(() => void server.close().closeAllConnections());

  return {
    endpoint: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The keys that were put by a load, in order. */
    puts,
    /** Puts a file as a supplier does. @returns its version */
    add,
    /** Takes a file out. */
    remove: (key: string): void => {
      for (const version of versions.filter((one) => one.key === key)) versions.splice(versions.indexOf(version), 1);
    },
    /** Refuses every object that is put. */
    refusePuts: (refuses: boolean): void => {
      refusesPuts = refuses;
    },
    textOf: (key: string): string | undefined => latest(key)?.content.toString(),
    /** Called before each object is sent. */
    onDownload: (act: typeof beforeDownload): void => {
      beforeDownload = act;
    },
  };
};
