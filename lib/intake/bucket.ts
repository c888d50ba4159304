import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
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
import { PRIVATE_FILE } from '../admin/files/output-file.ts';

/** Bytes of a file that are held and sent at a time: an object of one request has at most 5 GB, and each request has a time limit. */
const PART_BYTES = 64 * 1_024 * 1_024;

/** The current version of an object. */
export interface StoredFile {
  /** The whole key. */
  readonly name: string;
  readonly version: string;
  /** To the second. */
  readonly lastModified: Date;
}

/** Keys of a list may have characters that XML has not. S3 then writes them as in a form, and the list says so. */
const decoded = (key: string, encoding: string | undefined): string =>
  encoding === 'url' ? decodeURIComponent(key.replaceAll('+', ' ')) : key;

const required = <Value>(value: Value | undefined, name: string): Value => {
  if (value === undefined) throw new Error(`S3 sent no ${name}`);
  return value;
};

/** What loads do with the bucket. */
export const intakeBucket = (client: S3Client, Bucket: string) => {
  /** The object, or one version of it; undefined when there is none. */
  const read = async (Key: string, version?: string) => {
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, ...(version && { VersionId: version }) }));
      return required(Body, 'content');
    } catch (error) {
      if (['NoSuchKey', 'NoSuchVersion'].includes((error as Error).name)) return undefined;
      throw error;
    }
  };
  return {
    /** The current version of every object whose key begins so. Deleted ones have none. */
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

    /** Writes an object, or one version of it, to a file that only its owner may read. @returns false when there is none */
    download: async (path: string, key: string, version?: string): Promise<boolean> => {
      const body = await read(key, version);
      if (body === undefined) return false;
      await pipeline(body as NodeJS.ReadableStream, createWriteStream(path, PRIVATE_FILE));
      return true;
    },

    put: async (Key: string, Body: string): Promise<void> => {
      await client.send(new PutObjectCommand({ Bucket, Key, Body }));
    },

    /** Puts a file of any size. What an upload that fails has left, the bucket deletes a day later. */
    putFile: async (Key: string, path: string): Promise<void> => {
      const file = await open(path);
      const readPart = async (): Promise<Buffer> => {
        const part = Buffer.alloc(PART_BYTES);
        let length = 0;
        for (let read = -1; read !== 0 && length < PART_BYTES; length += read) {
          ({ bytesRead: read } = await file.read(part, length, PART_BYTES - length));
        }
        return part.subarray(0, length);
      };
      try {
        let part = await readPart();
        if (part.length < PART_BYTES) {
          await client.send(new PutObjectCommand({ Bucket, Key, Body: part }));
          return;
        }
        // The client sends this checksum with each part, and S3 compares it with what was announced.
        const ChecksumAlgorithm = 'CRC32';
        const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm }));
        const Parts: CompletedPart[] = [];
        for (let PartNumber = 1; part.length > 0; PartNumber += 1) {
          const input = { Bucket, Key, UploadId, PartNumber, Body: part, ChecksumAlgorithm } as const;
          const { ETag, ChecksumCRC32 } = await client.send(new UploadPartCommand(input));
          Parts.push({ PartNumber, ETag, ChecksumCRC32 });
          part = await readPart();
        }
        const MultipartUpload = { Parts };
        await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
      } finally {
        await file.close();
      }
    },
  };
};

export type IntakeBucket = ReturnType<typeof intakeBucket>;
