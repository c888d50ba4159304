/** Content in two domains, enough for several pages. */
import type { ImportedItem } from '../admin/content/imported-item.ts';

const TOPICS = ['MOT', 'road tax', 'insurance', 'SORN', 'electric vehicles'] as const;

type Texts = Pick<ImportedItem, 'title' | 'content' | 'slug' | 'meta_description'>;

/** Ids are the same on every machine, so that examples can name them. */
const makeItems = (word: string, count: number, textsOf: (number: number, topic: string) => Texts): ImportedItem[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${Buffer.from(word).toString('hex')}-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
    domain: `${word}.example`,
    ...textsOf(index + 1, TOPICS[(index + 1) % TOPICS.length] ?? TOPICS[0]),
  }));

/** 45 items of `news.example` and 25 of `help.example`, in the order in which they are created. */
export const SAMPLE_CONTENT: readonly ImportedItem[] = [
  ...makeItems('news', 45, (number, topic) => ({
    title: `Motoring news ${number}: ${topic}`,
    content: `What drivers should know about ${topic} this week. This is sample text number ${number}.`,
    slug: `motoring-news-${number}`,
    meta_description: `Sample news about ${topic}.`,
  })),
  ...makeItems('help', 25, (number, topic) => ({
    title: `How do I check ${topic}? (part ${number})`,
    content: `Look up the registration, then read the answer. This is help page number ${number}.`,
    slug: `check-${number}`,
    meta_description: '',
  })),
];
