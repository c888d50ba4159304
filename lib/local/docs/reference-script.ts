import plugin from '@scalar/fastify-api-reference';

/** The parts of Fastify that the package uses for its script. Its own types need Fastify, which is not installed. */
interface Reply {
  readonly header: () => Reply;
  readonly send: (script: string) => void;
}

interface Route {
  readonly url: string;
  readonly handler: (request: undefined, reply: Reply) => void;
}

/**
 * The script of Scalar, the API reference. The package for Fastify contains it and installs 24 packages. `@scalar/api-reference`
 * contains the same script, but installs 272 packages (287 MB), which the script already includes.
 */
export const referenceScript = (): Promise<string> =>
  new Promise((resolve) => {
    const reply: Reply = { header: () => reply, send: resolve };
    const fastify = {
      route: ({ url, handler }: Route) => {
        if (url.endsWith('.js')) handler(undefined, reply);
      },
    };
    plugin(fastify, { configuration: { url: '/openapi.json' } }, () => undefined);
  });
