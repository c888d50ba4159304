import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const xml = (body: string) =>
  `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>${body}</Stacks></DescribeStacksResult></DescribeStacksResponse>`;

const stackXml = (outputs: Readonly<Record<string, string>>) => {
  const members = Object.entries(outputs).map(
    ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return xml(`<member><StackName>s</StackName><Outputs>${members.join('')}</Outputs></member>`);
};

const NOT_THERE =
  '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id x does not exist</Message></Error></ErrorResponse>';

/** CloudFormation as far as the CLI asks it: the outputs of the stacks that it is given. */
export const startFakeCloudFormation = async (stacks: Readonly<Record<string, Readonly<Record<string, string>>>>) => {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const outputs = stacks[new URLSearchParams(body).get('StackName') ?? ''];
    response.writeHead(outputs ? 200 : 400, { 'content-type': 'text/xml' });
    response.end(outputs ? stackXml(outputs) : NOT_THERE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
