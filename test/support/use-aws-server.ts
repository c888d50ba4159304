import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from '@jest/globals';
import { tableOutput } from '../../core/stage/outputs.ts';
import type { TableId, TableNames } from '../../core/tables.ts';
import { listen } from '../../local/server.ts';

type Outputs = Readonly<Record<string, string>>;

/** An error in the form in which AWS sends it. */
interface AwsError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** A response of the services that answer in XML. */
const xml = (action: string, result: string): string =>
  `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`;

const stackXml = (outputs: Outputs): string => {
  const members = Object.entries(outputs).map(
    ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const stack = `<member><StackName>s</StackName><Outputs>${members.join('')}</Outputs></member>`;
  return xml('DescribeStacks', `<Stacks>${stack}</Stacks>`);
};

const errorXml = ({ code, message }: AwsError): string =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;

const errorJson = ({ code, message }: AwsError): string =>
  JSON.stringify({ __type: `com.amazon.coral.service#${code}`, Message: message });

/** The outputs of a stack of this service that has these tables. */
export const tableOutputs = (names: TableNames): Outputs =>
  Object.fromEntries(Object.entries(names).map(([id, name]) => [tableOutput(id as TableId), name]));

/** The metrics of an import: its figures for all suppliers of the kind, and for its own. */
export const metricsOf = (supplier: string, figures: Readonly<Record<string, number>>) =>
  [[], [{ Name: 'supplier', Value: supplier }]].flatMap((Dimensions) =>
    Object.entries(figures).map(([MetricName, Value]) => ({ MetricName, Value, Dimensions })),
  );

/** What STS says of every caller here. */
export const CALLER = 'arn:aws:sts::123456789012:assumed-role/OPERATORS/alice';

/** Fake AWS: CloudFormation with these stacks' outputs, STS, CloudWatch, SNS, and a DynamoDB that only fails. */
const startAwsServer = async () => {
  const stacks: Record<string, Outputs> = {};
  /** The region that each request was signed for. */
  const regions: (string | undefined)[] = [];
  /** Each request to CloudFormation: `DescribeStacks my-stack`. */
  const stackRequests: string[] = [];
  /** The body of each `PutMetricData`. */
  const published: unknown[] = [];
  /** Each message that was published to a topic of SNS. */
  const messages: { readonly topic: string | null; readonly message: string | null }[] = [];
  let error: AwsError | undefined;
  let answerOther: (operation: string, input: Readonly<Record<string, unknown>>) => object | AwsError | undefined =
    () => undefined;

  const answerTo = (target: unknown, body: string): string | AwsError => {
    if (target !== undefined) {
      if (error !== undefined) return error;
      const other = answerOther(String(target).replace(/^.*\./, ''), JSON.parse(body));
      if (other !== undefined) return 'code' in other ? other : JSON.stringify(other);
      if (!String(target).endsWith('.PutMetricData')) {
        return { status: 400, code: 'ResourceNotFoundException', message: 'Requested resource not found' };
      }
      published.push(JSON.parse(body));
      return '{}';
    }
    const parameters = new URLSearchParams(body);
    const stack = parameters.get('StackName');
    if (stack !== null) {
      stackRequests.push(`${parameters.get('Action')} ${stack}`);
      if (stacks[stack]) return stackXml(stacks[stack]);
      return error ?? { status: 400, code: 'ValidationError', message: `Stack with id ${stack} does not exist` };
    }
    if (error !== undefined) return error;
    if (parameters.get('Action') === 'GetCallerIdentity') return xml('GetCallerIdentity', `<Arn>${CALLER}</Arn>`);
    messages.push({ topic: parameters.get('TopicArn'), message: parameters.get('Message') });
    return xml('Publish', '<MessageId>1</MessageId>');
  };
  const server = createServer(async (request, response) => {
    regions.push(/Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? '')?.[1]);
    const target = request.headers['x-amz-target'];
    const answer = answerTo(target, await text(request));
    if (typeof answer === 'string') return response.end(answer);
    return response.writeHead(answer.status).end(target === undefined ? errorXml(answer) : errorJson(answer));
  });
  const { origin: endpoint, close } = await listen(server, 0, '127.0.0.1');

  return {
    endpoint,
    /** For the SDK: credentials, and this database beside the other services. */
    environmentWith: (database: string) => ({
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL: endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: database,
    }),
    stacks,
    regions,
    stackRequests,
    published,
    messages,
    /** Sends this error for missing stacks, and for every request to DynamoDB, CloudWatch and STS. */
    failWith: (next: AwsError | undefined) => {
      error = next;
      regions.length = 0;
    },
    /** Answers the operations of other services in their place, such as `GenerateMac` of KMS. */
    answerWith: (answer: typeof answerOther) => {
      answerOther = answer;
    },
    close,
  };
};

type AwsServer = Awaited<ReturnType<typeof startAwsServer>>;

/** The fake services for the tests of a file. */
export const useAwsServer = (): AwsServer => {
  const server = {} as AwsServer;
  beforeAll(async () => {
    Object.assign(server, await startAwsServer());
  });
  afterAll(() => server.close());
  return server;
};
