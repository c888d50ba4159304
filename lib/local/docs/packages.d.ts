/** The part of the package that the pages use. Its own types need Fastify, which is not installed. */

declare module '@scalar/fastify-api-reference' {
  interface Reply {
    readonly header: () => Reply;
    readonly send: (script: string) => void;
  }

  interface Route {
    readonly url: string;
    readonly handler: (request: undefined, reply: Reply) => void;
  }

  interface Fastify {
    readonly route: (route: Route) => void;
  }

  /** Registers the routes of the reference. */
  export default function plugin(
    fastify: Fastify,
    options: { readonly configuration: { readonly url: string } },
    done: () => void,
  ): void;
}
