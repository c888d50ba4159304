import { createRequire } from 'node:module';
// Lambda's runtime client has it loaded before any function is, so no bundle pays for it.
import 'node:http';

/** What a handler answers to API Gateway. */
export interface Answer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A bundle's handler, whatever its types. */
export type Handler = (event: object, context: object) => Promise<Answer>;

/** Loads a bundle as Lambda's runtime does: CommonJS by `require`, ES modules by `import`. */
export const loadHandler = async (file: string): Promise<Handler> => {
  const { handler } = await (file.endsWith('.mjs') ? import(file) : createRequire(file)(file));
  return handler;
};
