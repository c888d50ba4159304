import { Fn, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  CfnIntegration,
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
import { type Alias, CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Endpoint } from '../functions/http/endpoint-definition.ts';
import { logGroupProps } from './log-group.ts';
import type { StageSettings } from './stage-settings.ts';

/**
 * Nothing personal is logged: the route instead of the path with its registration, no user agent, and an IP address
 * only where the setting `sourceAddressDays` says so.
 */
const ACCESS_LOG_FIELDS = {
  requestId: '$context.requestId',
  routeKey: '$context.routeKey',
  status: '$context.status',
  latencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  integrationStatus: '$context.integrationStatus',
  integrationError: '$context.integrationErrorMessage',
  error: '$context.error.message',
  responseBytes: '$context.responseLength',
} as const;

/**
 * Makes the integration of a route depend on its permission. Otherwise an update could point the route at another
 * function before API Gateway may invoke that, and callers would get 500 for some seconds.
 */
const permitBeforeUse = (route: HttpRoute): void => {
  const parts = route.node.findAll();
  const permissions = parts.filter((part) => part instanceof CfnPermission);
  for (const part of parts) {
    if (part instanceof CfnIntegration) for (const permission of permissions) part.addResourceDependency(permission);
  }
};

/** An HTTP API with one stage at its root. It has no CORS, because API keys must not be used in browsers. */
export class HttpGateway extends Construct {
  /** `https://host`, without a path. */
  readonly origin: string;
  /** The host name to which the DNS record of the custom domain must point; absent without the setting `domain`. */
  readonly domainTarget?: string;
  readonly stage: HttpStage;
  private readonly api: HttpApi;

  constructor(scope: Construct, id: string, settings: StageSettings) {
    super(scope, id);
    this.api = new HttpApi(this, 'Api', {
      apiName: `vehicle-verification-${settings.stage}`,
      createDefaultStage: false,
      // The address stays by default: otherwise adding a domain would cut off callers until its DNS record exists.
      disableExecuteApiEndpoint: settings.domain?.disableDefaultEndpoint ?? false,
    });
    // The name is unique to the stack, because the group of a deleted stack that keeps its data remains.
    const uniqueId = Fn.select(2, Fn.split('/', Stack.of(this).stackId));
    const accessLog = new LogGroup(this, 'AccessLog', {
      // With this prefix a group needs no entry in the account's resource policy for logs, whose size is limited.
      logGroupName: `/aws/vendedlogs/vehicle-verification-${settings.stage}-${uniqueId}`,
      ...logGroupProps(settings),
      ...(settings.sourceAddressDays && { retention: settings.sourceAddressDays }),
    });
    const format = {
      ...ACCESS_LOG_FIELDS,
      ...(settings.sourceAddressDays && { sourceIp: '$context.identity.sourceIp' }),
    };
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: settings.throttle,
      detailedMetricsEnabled: false,
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(JSON.stringify(format)),
      },
    });
    if (settings.domain) {
      const { name: domainName, certificateArn } = settings.domain;
      const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn);
      const domain = new DomainName(this, 'Domain', { domainName, certificate });
      new ApiMapping(this, 'Mapping', { api: this.api, domainName: domain, stage: this.stage });
      this.domainTarget = domain.regionalDomainName;
    }
    this.origin = settings.domain ? `https://${settings.domain.name}` : this.api.apiEndpoint;
  }

  /** Adds a route for each path of an endpoint. They share one integration and one permission. */
  addRoutes(id: string, { method, paths }: Pick<Endpoint, 'method' | 'paths'>, live: Alias): void {
    // A permission for all routes of this API does not match `$default`, whose ARN has one part less.
    const scopePermissionToRoute = paths.length === 1;
    const integration = new HttpLambdaIntegration(id, live as IFunction, { scopePermissionToRoute });
    for (const path of paths) {
      this.addRoute(`${method} ${path}`, HttpRouteKey.with(path, HttpMethod[method]), integration);
    }
  }

  /** Adds the route for requests that match no other route. */
  addDefaultRoute(id: string, live: Alias): void {
    this.addRoute('default', HttpRouteKey.DEFAULT, new HttpLambdaIntegration(id, live as IFunction));
  }

  private addRoute(name: string, routeKey: HttpRouteKey, integration: HttpLambdaIntegration): void {
    const route = new HttpRoute(this, name.replaceAll('/', '.'), { httpApi: this.api, routeKey, integration });
    permitBeforeUse(route);
  }
}
