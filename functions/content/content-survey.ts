import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { bucketOf, parseListEntry } from '../counted-list/entries.ts';
import { ALL_ITEMS, domainList, type Entry, parseItem, parseSlug } from './content-items.ts';

/** Where an item says it is. */
export interface ItemPlace {
  readonly domain: string;
  readonly slug: string;
  /** Its position in each list that it belongs to, by the list's name. */
  readonly positions: ReadonlyMap<string, number>;
}

/** Counter and members of a bucket as one scan met them, which may be at different moments. */
interface BucketCount {
  readonly list: string;
  readonly bucket: number;
  counter: number;
  members: number;
}

/** Everything in the content table, in the shape in which it can be compared. */
export interface Survey {
  readonly items: Map<string, ItemPlace>;
  readonly slugs: { domain: string; slug: string; id: string }[];
  readonly members: { list: string; position: number; id: string }[];
  readonly buckets: Map<string, BucketCount>;
  /** Positions given so far, by list. */
  readonly heads: Map<string, number>;
}

const bucketIn = ({ buckets }: Survey, list: string, bucket: number): BucketCount => {
  const name = `${list}#${bucket}`;
  const count = buckets.get(name) ?? { list, bucket, counter: 0, members: 0 };
  buckets.set(name, count);
  return count;
};

const addListEntry = (survey: Survey, entry: NonNullable<ReturnType<typeof parseListEntry>>) => {
  if (entry.kind === 'head') survey.heads.set(entry.list, entry.allocated);
  else if (entry.kind === 'counter') bucketIn(survey, entry.list, entry.bucket).counter = entry.members;
  else {
    const { list, position, id } = entry;
    survey.members.push({ list, position, id });
    bucketIn(survey, list, bucketOf(position)).members += 1;
  }
};

const addEntry = (survey: Survey, entry: Entry) => {
  const listEntry = parseListEntry(entry);
  const slug = parseSlug(entry);
  if (listEntry) addListEntry(survey, listEntry);
  else if (slug) survey.slugs.push(slug);
  else if (entry.sk?.S === 'item') {
    const { item, positions } = parseItem(entry);
    const { id, domain } = item;
    const places = new Map([
      [ALL_ITEMS, positions.all],
      [domainList(domain), positions.domain],
    ]);
    survey.items.set(id, { domain, slug: item.slug, positions: places });
  }
};

/** Reads the whole table. `onProgress` gets the number of entries read so far. */
export const surveyContent = async (
  db: DynamoDBClient,
  table: string,
  onProgress: (entries: number) => void,
): Promise<Survey> => {
  const survey: Survey = { items: new Map(), slugs: [], members: [], buckets: new Map(), heads: new Map() };
  let entries = 0;
  for await (const { Items = [] } of paginateScan({ client: db }, { TableName: table, ConsistentRead: true })) {
    for (const entry of Items) addEntry(survey, entry);
    entries += Items.length;
    onProgress(entries);
  }
  return survey;
};
