import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Endpoint } from '../../functions/endpoints.ts';
import { ACCESS_LOG_FIELDS } from './access-log.ts';
import type { StageSettings } from './stage-settings.ts';

/** API Gateway's HTTP API with one stage at its root. Routes are added to it; it has no CORS, since keys must not live in browsers. */
export class HttpGateway extends Construct {
  readonly api: HttpApi;
  readonly stage: HttpStage;
  readonly accessLog: LogGroup;
  /** Without a path: `https://host`. */
  readonly origin: string;
  /** Where the DNS record of an address of one's own must point. */
  readonly domainTarget?: string;

  constructor(scope: Construct, id: string, settings: StageSettings) {
    super(scope, id);
    this.api = new HttpApi(this, 'Api', {
      apiName: `vehicle-verification-${settings.stage}`,
      createDefaultStage: false,
      disableExecuteApiEndpoint: settings.domain !== undefined,
    });
    this.accessLog = new LogGroup(this, 'AccessLog', {
      retention: settings.logRetention,
      removalPolicy: settings.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: settings.throttle,
      detailedMetricsEnabled: false,
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG_FIELDS)),
      },
    });
    this.origin = settings.domain ? `https://${settings.domain.name}` : this.api.apiEndpoint;
    if (settings.domain) this.domainTarget = this.mapDomain(settings.domain);
  }

  /** Serves an endpoint at all of its addresses. */
  serve(id: string, { method, paths }: Pick<Endpoint, 'method' | 'paths'>, lambda: LambdaFunction): void {
    for (const path of paths) this.route(`${method} ${path}`, HttpRouteKey.with(path, HttpMethod[method]), id, lambda);
  }

  /** Serves whatever no other route does. */
  serveEverythingElse(id: string, lambda: LambdaFunction): void {
    this.route('default', HttpRouteKey.DEFAULT, id, lambda);
  }

  private route(name: string, routeKey: HttpRouteKey, functionId: string, lambda: LambdaFunction): void {
    const integration = new HttpLambdaIntegration(functionId, lambda);
    const route = new HttpRoute(this, name.replaceAll('/', '.'), { httpApi: this.api, routeKey, integration });
    Validations.of(route).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'The functions check the API key themselves, together with its exact rate limit: an authoriser would be a second round trip.',
    });
  }

  private mapDomain({ name, certificateArn }: { readonly name: string; readonly certificateArn: string }): string {
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn);
    const domainName = new DomainName(this, 'Domain', { domainName: name, certificate });
    new ApiMapping(this, 'Mapping', { api: this.api, domainName, stage: this.stage });
    return domainName.regionalDomainName;
  }
}
