/** Content in two domains, enough for several pages. */
import type { ImportedItem } from '../content-maintenance/imported-item.ts';

/** Ids are the same on every machine, so that examples can name them. */
const sampleId = (word: 'news' | 'help', number: number): string =>
  `${Buffer.from(word).toString('hex')}-0000-4000-8000-${String(number).padStart(12, '0')}`;

const TOPICS = ['MOT', 'road tax', 'insurance', 'SORN', 'electric vehicles'] as const;

const newsItem = (number: number): ImportedItem => {
  const topic = TOPICS[number % TOPICS.length] ?? TOPICS[0];
  return {
    id: sampleId('news', number),
    title: `Motoring news ${number}: ${topic}`,
    content: `What drivers should know about ${topic} this week. This is sample text number ${number}.`,
    domain: 'news.example',
    slug: `motoring-news-${number}`,
    meta_description: `Sample news about ${topic}.`,
  };
};

const helpItem = (number: number): ImportedItem => {
  const topic = TOPICS[number % TOPICS.length] ?? TOPICS[0];
  return {
    id: sampleId('help', number),
    title: `How do I check ${topic}? (part ${number})`,
    content: `Look up the registration, then read the answer. This is help page number ${number}.`,
    domain: 'help.example',
    slug: `check-${number}`,
    meta_description: '',
  };
};

const numbered = (count: number, make: (number: number) => ImportedItem): ImportedItem[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

/** 45 items of `news.example` and 25 of `help.example`, in the order in which they are created. */
export const SAMPLE_CONTENT: readonly ImportedItem[] = [...numbered(45, newsItem), ...numbered(25, helpItem)];
