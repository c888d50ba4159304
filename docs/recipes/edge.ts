import { type App, Duration, SecretValue, Stack, Validations } from 'aws-cdk-lib';
import { HttpLambdaAuthorizer, HttpLambdaResponseType } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  OriginRequestPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { ServiceStack } from '../../lib/cloud/service-stack.ts';

export interface EdgeSettings {
  /** The host name that callers use. */
  readonly domain: string;
  /** The ARN of its certificate, in us-east-1. */
  readonly certificateArn: string;
  /** The host name of the setting `domain`, which only CloudFront uses. */
  readonly origin: string;
  /** The secret with the value of the header that only CloudFront sends, in us-east-1 and the stage's region. */
  readonly secretName: string;
}

/** Requests of one address in a minute that the rule accepts. */
const REQUESTS_PER_MINUTE = 6_000;

/**
 * CloudFront and a WAF before the gateway, in the stack `vehicle-verification-edge`. The gateway then accepts requests
 * of CloudFront only, and the probe asks what callers ask.
 *
 * 1. Set `domain` to a name that only CloudFront asks, here `origin.example.com`, and its `disableDefaultEndpoint`.
 * 2. Certificates are published, so that name is no secret. The gateway demands a header with this secret:
 *
 *        aws secretsmanager create-secret --region us-east-1 --name vehicle-verification-origin \
 *          --add-replica-regions Region=eu-west-2 --secret-string "$(openssl rand -hex 32)"
 *
 * 3. Deploy `vehicle-verification-edge`, point the DNS record of `api.example.com` at the distribution, then deploy the
 *    stage.
 *
 * Without the header API Gateway answers 401 by itself. Who may read the settings of the function or the distribution
 * sees the secret.
 *
 * USD (us-east-1, 2025): 6 a month, and per million requests 0.60 for the WAF and about 1 for CloudFront. The rule
 * stops no attack from many addresses, blocks a large customer behind one, and takes up to two minutes to block and to
 * let go. Leave sampled requests, the WAF's log and CloudFront's access log off: paths contain registrations.
 * @example
 * import { addEdge } from '../docs/recipes/edge.ts';
 *
 * addEdge(app, service, {
 *   domain: 'api.example.com',
 *   certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/ID',
 *   origin: 'origin.example.com',
 *   secretName: 'vehicle-verification-origin',
 * });
 */
export const addEdge = (app: App, service: ServiceStack, settings: EdgeSettings): void => {
  const { domain, certificateArn, origin, secretName } = settings;
  // CloudFormation resolves it: it is in no template.
  const secret = SecretValue.secretsManager(secretName).unsafeUnwrap();
  const edge = new Stack(app, 'vehicle-verification-edge', { env: { region: 'us-east-1' } });
  const visibility = (metricName: string) => ({
    metricName,
    cloudWatchMetricsEnabled: true,
    sampledRequestsEnabled: false,
  });
  const webAcl = new CfnWebACL(edge, 'WebAcl', {
    scope: 'CLOUDFRONT',
    defaultAction: { allow: {} },
    visibilityConfig: visibility('vehicle-verification'),
    rules: [
      {
        name: 'rate',
        priority: 0,
        // `{ block: {} }` when you have read for a week what it counts.
        action: { count: {} },
        statement: {
          rateBasedStatement: { limit: REQUESTS_PER_MINUTE, evaluationWindowSec: 60, aggregateKeyType: 'IP' },
        },
        visibilityConfig: visibility('rate'),
      },
    ],
  });
  const distribution = new Distribution(edge, 'Distribution', {
    domainNames: [domain],
    certificate: Certificate.fromCertificateArn(edge, 'Certificate', certificateArn),
    webAclId: webAcl.attrArn,
    defaultBehavior: {
      origin: new HttpOrigin(origin, { customHeaders: { 'X-Origin-Secret': secret } }),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    },
  });
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'Callers are in any country.' },
    { id: 'AwsSolutions-CFR3', reason: 'Its access log would have registrations.' },
  );
  const check = new LambdaFunction(service, 'OriginCheck', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline(
      'exports.handler = async ({ headers }) => ({ isAuthorized: headers["x-origin-secret"] === process.env.SECRET });',
    ),
    environment: { SECRET: secret },
    memorySize: 128,
    timeout: Duration.seconds(3),
  });
  const logging = 'Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
  Validations.of(check).acknowledge(
    { id: `AwsSolutions-IAM4[${logging}]`, reason: 'It only logs.' },
    { id: 'Serverless-LambdaDLQ', reason: 'It is invoked synchronously.' },
    { id: 'Serverless-LambdaTracing', reason: 'It does one comparison.' },
  );
  service.gateway.authoriseBy(
    new HttpLambdaAuthorizer('OriginAuthorizer', check, {
      responseTypes: [HttpLambdaResponseType.SIMPLE],
      identitySource: ['$request.header.X-Origin-Secret'],
      resultsCacheTtl: Duration.hours(1),
    }),
  );
  service.probe.ask(`https://${domain}`);
};
