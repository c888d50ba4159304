/** What is stored, as a search judges it. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { inconsistenciesIn } from '../support/content-consistency.ts';
import { memoised, type StoredState, TABLES } from './engine.ts';

export interface StoredContent {
  readonly items: readonly DynamoItem[];
  /** All but lists, slugs and revisions: items, vehicles, remembered creations, keys, counted requests. */
  readonly facts: string;
  readonly inconsistencies: readonly string[];
}

const MADE_FROM_ITEMS = ['list', 'counters', 'slug'];

const textOf = (entry: DynamoItem): string =>
  JSON.stringify(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)));

const read = ({ records }: StoredState): StoredContent => {
  const content: DynamoItem[] = [];
  const facts: string[] = [];
  for (const [key, record] of records) {
    const { revision, ...entry }: DynamoItem = unmarshall(record as Record<string, AttributeValue>);
    const isContent = key.startsWith(`item-${TABLES.content}~`);
    if (isContent) content.push(entry);
    if (!isContent || !MADE_FROM_ITEMS.includes(String(entry.pk).replace(/#.*/, ''))) facts.push(textOf(entry));
  }
  return {
    items: content.filter(({ sk }) => sk === 'item'),
    facts: facts.sort().join(),
    inconsistencies: inconsistenciesIn(content),
  };
};

export const storedIn = memoised((state: StoredState) => state, read);
