/**
 * Requests to AWS services other than DynamoDB in its protocol, signed and sent with what every bundle has: a client of
 * the SDK for one request would lengthen each cold start.
 */
import { Sha256Node } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4, type SignatureV4Init } from '@smithy/signature-v4';
import type { awsTransport } from './aws-transport.ts';

export interface AwsService {
  /** The name for which requests are signed, such as `kms`. */
  readonly service: string;
  /** The prefix of the names of operations, such as `TrentService`. */
  readonly api: string;
  /** `https://host` */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: SignatureV4Init['credentials'];
  readonly transport: Pick<ReturnType<typeof awsTransport>, 'handle'>;
}

/** The service rejected the request. Its name is that of the AWS error. */
export class AwsRejection extends Error {
  override readonly name: string;
  readonly isTransient: boolean;

  constructor(
    status: number,
    { __type = 'UnknownError', message = '', Message = message }: Readonly<Record<string, unknown>>,
  ) {
    super(String(Message));
    this.name = String(__type).replace(/^.*#/, '');
    this.isTransient = status >= 500 || /Throttl|ThroughputExceeded|LimitExceeded/.test(this.name);
  }
}

const ATTEMPTS = 3;

const send = async (
  { service, api, endpoint, region, credentials, transport }: AwsService,
  operation: string,
  input: object,
): Promise<Readonly<Record<string, unknown>>> => {
  const { protocol, hostname, host, port } = new URL(endpoint);
  const unsigned = new HttpRequest({
    method: 'POST',
    protocol,
    hostname,
    ...(port && { port: Number(port) }),
    path: '/',
    headers: { host, 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${api}.${operation}` },
    body: Buffer.from(JSON.stringify(input)),
  });
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256Node });
  const { response } = await transport.handle((await signer.sign(unsigned)) as HttpRequest);
  const answer = JSON.parse(String(response.body));
  if (response.statusCode === 200) return answer;
  throw new AwsRejection(response.statusCode, answer);
};

/**
 * Sends a request that may be repeated, up to 3 times.
 * @throws AwsRejection, or the error of the network
 */
export const requestJson: typeof send = async (service, operation, input) => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(service, operation, input);
    } catch (error) {
      const isFinal = error instanceof AwsRejection && !error.isTransient;
      if (isFinal || attempt === ATTEMPTS) throw error;
    }
  }
};
