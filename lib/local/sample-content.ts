/** Content in two domains, enough of it to page. */
import type { ContentFields } from '../../functions/content/item.ts';

const TOPICS = ['MOT', 'road tax', 'insurance', 'SORN', 'electric vehicles'] as const;

const newsItem = (number: number): ContentFields => {
  const topic = TOPICS[number % TOPICS.length] ?? TOPICS[0];
  return {
    title: `Motoring news ${number}: ${topic}`,
    content: `What drivers should know about ${topic} this week. This is sample text number ${number}.`,
    domain: 'news.example',
    slug: `motoring-news-${number}`,
    meta_description: `Sample news about ${topic}.`,
  };
};

const helpItem = (number: number): ContentFields => {
  const topic = TOPICS[number % TOPICS.length] ?? TOPICS[0];
  return {
    title: `How do I check ${topic}? (part ${number})`,
    content: `Look up the registration, then read the answer. This is help page number ${number}.`,
    domain: 'help.example',
    slug: `check-${number}`,
    meta_description: '',
  };
};

const numbered = (count: number, make: (number: number) => ContentFields): ContentFields[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

/** 45 items of `news.example` and 25 of `help.example`, in the order in which they are created. */
export const SAMPLE_CONTENT: readonly ContentFields[] = [...numbered(45, newsItem), ...numbered(25, helpItem)];
