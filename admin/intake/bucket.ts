import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { PRIVATE_FILE } from '../files/output-file.ts';

/** Bytes per request: S3 accepts at most 5 GB, and requests have a time limit. Two parts of a file are in memory. */
const PART_BYTES = 64 * 1_024 * 1_024;

/** The current version of an object. */
export interface StoredFile {
  /** The key. */
  readonly name: string;
  readonly version: string;
  /** To the second. */
  readonly lastModified: Date;
}

/** Keys may have characters that XML lacks. `EncodingType` makes S3 encode the keys of a list like form fields. */
const decoded = (key: string, encoding: string | undefined): string =>
  encoding === 'url' ? decodeURIComponent(key.replaceAll('+', ' ')) : key;

const required = <Value>(value: Value | undefined, name: string): Value => {
  if (value === undefined) throw new Error(`S3 sent no ${name}`);
  return value;
};

/** What a build does with the bucket. */
export const intakeBucket = (client: S3Client, Bucket: string) => {
  /** The content of an object, or of one version of it; undefined when there is none. */
  const read = async (Key: string, version?: string) => {
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, ...(version && { VersionId: version }) }));
      return required(Body, 'content');
    } catch (error) {
      if (['NoSuchKey', 'NoSuchVersion'].includes((error as Error).name)) return undefined;
      throw error;
    }
  };
  const put = async (Key: string, Body: string | Buffer): Promise<void> => {
    await client.send(new PutObjectCommand({ Bucket, Key, Body }));
  };
  return {
    /** The current version of every object with this prefix. */
    list: async (Prefix: string): Promise<readonly StoredFile[]> => {
      const files: StoredFile[] = [];
      let marker: { KeyMarker: string; VersionIdMarker: string | undefined } | undefined;
      do {
        const input = { Bucket, Prefix, EncodingType: 'url' as const, ...marker };
        const page = await client.send(new ListObjectVersionsCommand(input));
        for (const { IsLatest, Key, VersionId, LastModified } of page.Versions ?? []) {
          if (!IsLatest) continue;
          files.push({
            name: decoded(required(Key, 'key'), page.EncodingType),
            version: required(VersionId, 'version'),
            lastModified: required(LastModified, 'time'),
          });
        }
        marker = page.IsTruncated
          ? {
              KeyMarker: decoded(required(page.NextKeyMarker, 'marker'), page.EncodingType),
              VersionIdMarker: page.NextVersionIdMarker,
            }
          : undefined;
      } while (marker !== undefined);
      return files;
    },

    /** The text of an object; undefined when there is none. */
    text: async (key: string): Promise<string | undefined> => (await read(key))?.transformToString(),

    /** Writes an object, or one version of it, to a file that only the owner may read. @returns false without one */
    download: async (path: string, key: string, version?: string): Promise<boolean> => {
      const body = await read(key, version);
      if (body === undefined) return false;
      await pipeline(body as NodeJS.ReadableStream, createWriteStream(path, PRIVATE_FILE));
      return true;
    },

    put,

    /** Puts a file of any size. The bucket deletes the parts of a failed upload a day later. */
    putFile: async (Key: string, path: string): Promise<void> => {
      if ((await stat(path)).size < PART_BYTES) return put(Key, await readFile(path));
      // The client sends this checksum with each part, and S3 compares it with what was announced.
      const ChecksumAlgorithm = 'CRC32';
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm }));
      const Parts: CompletedPart[] = [];
      for await (const Body of createReadStream(path, { highWaterMark: PART_BYTES })) {
        const input = { Bucket, Key, UploadId, PartNumber: Parts.length + 1, Body, ChecksumAlgorithm } as const;
        const { ETag, ChecksumCRC32 } = await client.send(new UploadPartCommand(input));
        Parts.push({ PartNumber: input.PartNumber, ETag, ChecksumCRC32 });
      }
      const MultipartUpload = { Parts };
      await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
    },
  };
};

export type IntakeBucket = ReturnType<typeof intakeBucket>;
