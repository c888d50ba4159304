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
<<<<<<< HEAD
  /** The secret with the value of a header that only CloudFront sends, in us-east-1 and the stage's region. */
=======
  /** The name of the secret with the header value that only CloudFront sends, in us-east-1 and the stage's region. */
>>>>>>> w-c3
  readonly secretName: string;
}

/** Requests of one address in a minute that the rule accepts. */
const REQUESTS_PER_MINUTE = 6_000;

<<<<<<< HEAD
/** CloudFront and a WAF, in a stack of their own. The gateway then accepts requests of CloudFront only. */
=======
/** CloudFront and a WAF before the gateway, in their own stack. The gateway then accepts only CloudFront's requests. */
>>>>>>> w-c3
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
