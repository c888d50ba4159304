/** Prints the slug of every content item that the key can see, page by page: `node content.ts` */
import { client } from './client.ts';

for await (const { slug } of client.content.list({ pageSize: 20 })) console.log(slug);
