/**
 * Parts of the AWS SDK that every client carries along and that these functions can never reach or can do without, with
 * what stands in for each. They are two fifths of a look-up's bundle, and a function pays for its bundle at every cold start.
 */
import { readFile } from 'node:fs/promises';
import type { Loader, Plugin } from 'esbuild';

/** One part: which of the SDK's files it is, why nothing reaches it, and what is bundled instead. */
interface StandIn {
  readonly file: RegExp;
  readonly contents: (original: string) => string;
  readonly loader?: Loader;
}

const unreachable = (name: string) => `throw new Error('${name} is not part of this bundle');`;

const STAND_INS: readonly StandIn[] = [
  {
    // functions/dynamodb/database.ts gives the credentials that Lambda puts into the environment.
    file: /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/,
    contents: () => `export const defaultProvider = () => async () => { ${unreachable('credential-provider-node')} };`,
  },
  {
    // functions/dynamodb/client/transport.ts carries the requests.
    file: /@smithy\/node-http-handler\/dist-es\/node-http-handler\.js$/,
    contents: () =>
      'export const DEFAULT_REQUEST_TIMEOUT = 0;\nexport class NodeHttpHandler { static create(transport) { return transport; } }',
  },
  {
    // functions/dynamodb/client/signer.ts signs them.
    file: /@aws-sdk\/core\/dist-es\/submodules\/httpAuthSchemes\/aws_sdk\/AwsSdkSigV4Signer\.js$/,
    contents: () =>
      `export const AWSSDKSigV4Signer = undefined, validateSigningProperties = undefined;\nexport class AwsSdkSigV4Signer { sign() { ${unreachable('AwsSdkSigV4Signer')} } }`,
  },
  {
    // Looks for `crypto` among the globals, at which Node loads all of Web Crypto for this one function.
    file: /@smithy\/core\/dist-es\/submodules\/serde\/uuid\/v4\.js$/,
    contents: () => "import { randomUUID } from 'node:crypto';\nexport const bindV4 = () => randomUUID;",
  },
  {
    // DynamoDB has no operation that streams events.
    file: /@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/,
    contents: () => 'export const EventStreamSerde = undefined, eventStreamSerdeProvider = undefined;',
  },
  {
    // Endpoint discovery is off unless AWS_ENABLE_ENDPOINT_DISCOVERY asks for it, which the stack never does.
    file: /@aws-sdk\/endpoint-cache\/dist-es\/index\.js$/,
    contents: () => `export class EndpointCache { get() { ${unreachable('endpoint-cache')} } }`,
  },
  {
    // Node has a native SHA-256.
    file: /@smithy\/core\/dist-es\/submodules\/checksum\/sha256\/Sha256Js\.js$/,
    contents: () => `export class Sha256Js { constructor() { ${unreachable('Sha256Js')} } }`,
  },
  {
    // A function has no ~/.aws; looking for it costs two file reads before the first request.
    file: /@smithy\/core\/dist-es\/submodules\/config\/shared-ini-file-loader\/loadSharedConfigFiles\.js$/,
    contents: () =>
      "export const CONFIG_PREFIX_SEPARATOR = '.';\n" +
      'export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });',
  },
  {
    // The client reads its own version from its package.json, and would bring the whole file.
    file: /@aws-sdk\/client-dynamodb\/package\.json$/,
    contents: (original) => JSON.stringify({ version: JSON.parse(original).version }),
    loader: 'json',
  },
];

/**
 * Bundles the stand-ins. The build fails when one of them stands in for nothing, so that a new version of the SDK with
 * another layout cannot bring the weight back unseen.
 */
export const sdkStandIns = (): Plugin => ({
  name: 'sdk-stand-ins',
  setup: ({ onLoad, onEnd }) => {
    const used = new Set<StandIn>();
    for (const standIn of STAND_INS) {
      onLoad({ filter: standIn.file }, async ({ path }) => {
        used.add(standIn);
        return { contents: standIn.contents(await readFile(path, 'utf8')), loader: standIn.loader ?? 'js' };
      });
    }
    onEnd(() => ({
      errors: STAND_INS.filter((standIn) => !used.has(standIn)).map(({ file }) => ({
        text: `the SDK has no file ${file.source} any more: find where it went, or drop its stand-in`,
      })),
    }));
  },
});
