/** Replaces unused parts of the AWS SDK (docs/performance.md#replaced-parts-of-the-sdk). */
import type { Plugin } from 'esbuild';

/** Files of the SDK, and the code that is bundled instead. */
const STUBS = [
  {
    // core/aws/database.ts passes the credentials from Lambda's environment variables.
    file: /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/,
    contents:
      "export const defaultProvider = () => async () => { throw new Error('credential-provider-node is not part of this bundle'); };",
  },
  {
    // core/aws/aws-transport.ts sends the requests.
    file: /@smithy\/node-http-handler\/dist-es\/node-http-handler\.js$/,
    contents:
      'export const DEFAULT_REQUEST_TIMEOUT = 0;\nexport class NodeHttpHandler { static create(transport) { return transport; } }',
  },
  {
    // DynamoDB has no operation that streams events.
    file: /@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/,
    contents: 'export const EventStreamSerde = undefined, eventStreamSerdeProvider = undefined;',
  },
  {
    // A function has no ~/.aws: the original would read two files before the first request.
    file: /@smithy\/core\/dist-es\/submodules\/config\/shared-ini-file-loader\/loadSharedConfigFiles\.js$/,
    contents:
      "export const CONFIG_PREFIX_SEPARATOR = '.';\n" +
      'export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });',
  },
];

/** The esbuild plugin that bundles the stubs. The build fails when a stub replaces nothing, as after an SDK update. */
export const sdkStubs = (): Plugin => ({
  name: 'sdk-stubs',
  setup: ({ onLoad, onEnd }) => {
    const used = new Set<object>();
    for (const stub of STUBS) {
      onLoad({ filter: stub.file }, () => {
        used.add(stub);
        return { contents: stub.contents, loader: 'js' };
      });
    }
    onEnd(() => ({
      errors: STUBS.filter((stub) => !used.has(stub)).map(({ file }) => ({
        text: `the SDK has no file ${file.source} any more: find where it went, or remove its stub`,
      })),
    }));
  },
});
