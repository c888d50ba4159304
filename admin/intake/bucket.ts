import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { IntakeEntry, IntakeOutput } from '../../core/stage/intake-entry.ts';
import { BUCKET_FOLDERS, partsOf, type RecordKind } from '../../core/stage/outputs.ts';
import { nameErrors, OTHER_SERVICE_TIMEOUTS } from '../deployment/database.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { PRIVATE_FILE } from '../files/output-file.ts';
import type { ChangesOutput, Load } from '../records/change-line.ts';

export interface StoredFile {
  readonly name: string;
  readonly version: string;
  /** ISO 8601 UTC, to the second. */
  readonly lastModified: string;
  readonly bytes: number;
}

/** Digits of the hash of a name in the key of its report. The name does not fit: both may have 1,024 bytes. */
const HASH_LENGTH = 32;

/** Digits of the number of an object with changes, which keep the objects in their order. */
const DIGITS = 6;

/** The folder of a file's report. @param prefix of its entry */
export const reportFolder = (prefix: string, { name, version }: StoredFile): string =>
  `${BUCKET_FOLDERS.reports}${prefix}${createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)}@${version}/`;

/** The folder with what a load has changed, and with lists and figures of what is stored. No supplier may read it. */
export const changesFolder = (load: string): string => `${BUCKET_FOLDERS.changes}${load}/`;

/** The part of a report that is written last: without it the load did not finish. */
export const summaryKey = (prefix: string, file: StoredFile): string => `${reportFolder(prefix, file)}summary.json`;

/** The keys of the objects that name the last loaded files of what an entry fills: one for each part. */
export const loadedKeys = ({ import: kind, supplier }: IntakeEntry): string[] =>
  partsOf(kind as RecordKind).map(
    (part) => `${BUCKET_FOLDERS.control}loaded/${part}${supplier === undefined ? '' : `/${supplier}`}`,
  );

/**
 * The object whose arrival starts a build of its entry. It lies under the prefix, so that the rule of the entry's files
 * sees it, and its name does not end as a file's, so that it is never loaded.
 */
export const startKey = ({ prefix }: Pick<IntakeEntry, 'prefix'>): string => `${prefix}start`;

/** It was deleted, is encrypted with a key of its own, or is archived. */
const UNREADABLE = /^(NoSuchKey|NoSuchVersion|AccessDenied|InvalidObjectState|InvalidRequest|KMS\..+)$/;

/**
 * Decodes a key in a list of objects. Keys may have characters that XML lacks, so `EncodingType` asks S3 to encode them
 * like the fields of a form; the answer says whether it has.
 */
const decoded = (key: string, encoding: string | undefined): string =>
  encoding === 'url' ? decodeURIComponent(key.replaceAll('+', ' ')) : key;

export const intakeBucket = ({ bucket: Bucket }: IntakeOutput, { account }: Deployment) => {
  const client = new S3Client({ ...account, requestHandler: OTHER_SERVICE_TIMEOUTS });
  client.middlewareStack.add(nameErrors('S3'), { step: 'initialize' });
  /** Puts an object of any size. The bucket deletes the parts of a failed upload a day later. */
  const put = async (Key: string, Body: string | Readable): Promise<void> => {
    await new Upload({ client, params: { Bucket, Key, Body }, leavePartsOnError: true }).done();
  };
  return {
    put,

    /** The current version of every object with this prefix. */
    list: async (Prefix: string): Promise<readonly StoredFile[]> => {
      const files: StoredFile[] = [];
      let marker: { KeyMarker: string; VersionIdMarker: string | undefined } | undefined;
      do {
        const input = { Bucket, Prefix, EncodingType: 'url' as const, ...marker };
        const page = await client.send(new ListObjectVersionsCommand(input));
        for (const { IsLatest, Key, VersionId, LastModified, Size } of page.Versions ?? []) {
          if (!IsLatest || !Key || !VersionId || !LastModified || Size === undefined) continue;
          const name = decoded(Key, page.EncodingType);
          files.push({ name, version: VersionId, lastModified: LastModified.toISOString(), bytes: Size });
        }
        const { IsTruncated, NextKeyMarker = '', NextVersionIdMarker: VersionIdMarker } = page;
        marker = IsTruncated ? { KeyMarker: decoded(NextKeyMarker, page.EncodingType), VersionIdMarker } : undefined;
      } while (marker !== undefined);
      return files;
    },

    /** The text of an object; undefined when there is none. */
    text: async (Key: string): Promise<string | undefined> => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
        return await Body?.transformToString();
      } catch (error) {
        if ((error as Error).name === 'NoSuchKey') return undefined;
        throw error;
      }
    },

    /** Writes a version to a file that only the owner may read. @returns false when it cannot be read */
    download: async (path: string, { name: Key, version: VersionId }: StoredFile): Promise<boolean> => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, VersionId }));
        await pipeline(Body as NodeJS.ReadableStream, createWriteStream(path, PRIVATE_FILE));
        return true;
      } catch (error) {
        if (UNREADABLE.test((error as Error).name)) return false;
        throw error;
      }
    },

    /** Puts what a load changes as objects, each before its writes. */
    openChanges: async (load: Load): Promise<ChangesOutput> => {
      const name = changesFolder(load.load);
      let objects = 0;
      const write = (text: string): Promise<void> => {
        objects += 1;
        const key = `${name}${String(objects).padStart(DIGITS, '0')}.ndjson`;
        return put(key, `${JSON.stringify(load)}\n${text}`);
      };
      return { name, write, close: async () => undefined };
    },
  };
};

export type IntakeBucket = ReturnType<typeof intakeBucket>;
