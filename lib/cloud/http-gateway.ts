import { Fn, Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  CfnIntegration,
  type CfnRoute,
  type CfnStage,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type Alias, CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Endpoint } from '../../functions/http/endpoint.ts';
import { logGroupProps } from './log-group.ts';
import type { StageSettings } from './stage-settings.ts';

/**
 * The fields of the access log. They are no personal data: the route instead of the path, which contains a registration, and
 * neither the client's IP address nor its user agent.
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
 * Makes the integration that a route has added depend on its permission. Otherwise an update that points a route at another
 * function or alias could change the route before API Gateway may invoke it, and callers would get 500 for some seconds.
 */
const permitBeforeUse = (route: HttpRoute): void => {
  const parts = route.node.findAll();
  const permissions = parts.filter((part) => part instanceof CfnPermission);
  for (const part of parts) {
    if (part instanceof CfnIntegration) for (const permission of permissions) part.addResourceDependency(permission);
  }
};

const nameOf = (routeKey: string): string => routeKey.replaceAll('/', '.');

/** An HTTP API of API Gateway with one stage at its root. It has no CORS, because API keys must not be used in browsers. */
export class HttpGateway extends Construct {
  /** `https://host`, without a path. */
  readonly origin: string;
  /** The target of the custom domain's DNS record. */
  readonly domainTarget?: string;
  /** The source of the metrics of all requests. */
  readonly stage: HttpStage;
  private readonly api: HttpApi;
  private readonly routes: HttpRoute[] = [];

  constructor(scope: Construct, id: string, settings: StageSettings) {
    super(scope, id);
    this.api = new HttpApi(this, 'Api', {
      apiName: `vehicle-verification-${settings.stage}`,
      createDefaultStage: false,
      // Enabled by default: otherwise adding a domain would cut off every caller until its DNS record exists.
      disableExecuteApiEndpoint: settings.domain?.disableDefaultEndpoint ?? false,
    });
    const accessLog = new LogGroup(this, 'AccessLog', {
      logGroupName: this.accessLogName(settings),
      ...logGroupProps(settings),
    });
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: settings.throttle,
      detailedMetricsEnabled: false,
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG_FIELDS)),
      },
    });
    this.origin = settings.domain ? `https://${settings.domain.name}` : this.api.apiEndpoint;
    if (settings.domain) this.domainTarget = this.mapDomain(settings.domain);
  }

  /** Adds a route for each path of an endpoint. They share one integration and one permission. */
  addRoutes(id: string, { method, paths }: Pick<Endpoint, 'method' | 'paths'>, live: Alias): void {
    // A permission for all routes of this API does not match `$default`, whose ARN has one part less.
    const integration = new HttpLambdaIntegration(id, live as IFunction, {
      scopePermissionToRoute: paths.length === 1,
    });
    for (const path of paths) {
      this.addRoute(`${method} ${path}`, HttpRouteKey.with(path, HttpMethod[method]), integration);
    }
  }

  /** Limits one route, such as `GET /v1/usage`, by a throttle of its own. */
  throttle(routeKey: string, { rateLimit, burstLimit }: StageSettings['throttle']): void {
    const stage = this.stage.node.defaultChild as CfnStage;
    stage.routeSettings = { [routeKey]: { ThrottlingRateLimit: rateLimit, ThrottlingBurstLimit: burstLimit } };
    // API Gateway rejects settings of a route that does not exist yet.
    stage.node.addDependency(this.node.findChild(nameOf(routeKey)));
  }

  /** Adds the route for requests that match no other route. */
  addDefaultRoute(id: string, live: Alias): void {
    this.addRoute('default', HttpRouteKey.DEFAULT, new HttpLambdaIntegration(id, live as IFunction));
  }

  /** Puts an authoriser before every route. It is for a proxy through which all requests must come; the functions check the keys. */
  authoriseBy(authorizer: IHttpRouteAuthorizer): void {
    for (const route of this.routes) {
      const { authorizerId, authorizationType } = authorizer.bind({ route, scope: route });
      Object.assign(route.node.defaultChild as CfnRoute, { authorizerId, authorizationType });
    }
  }

  private addRoute(name: string, routeKey: HttpRouteKey, integration: HttpLambdaIntegration): void {
    const route = new HttpRoute(this, nameOf(name), { httpApi: this.api, routeKey, integration });
    permitBeforeUse(route);
    this.routes.push(route);
    Validations.of(route).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'The functions check the API key together with its exact rate limit. An authoriser would add a round trip.',
    });
  }

  /**
   * The prefix is that of logs which AWS services deliver: such a group needs no entry in the account's resource policy, whose size
   * is limited. The last part is unique to the stack, because the group of a deleted stack that keeps its data remains.
   */
  private accessLogName({ stage }: StageSettings): string {
    const uniqueId = Fn.select(2, Fn.split('/', Stack.of(this).stackId));
    return `/aws/vendedlogs/vehicle-verification-${stage}-${uniqueId}`;
  }

  private mapDomain({ name, certificateArn }: NonNullable<StageSettings['domain']>): string {
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn);
    const domainName = new DomainName(this, 'Domain', { domainName: name, certificate });
    new ApiMapping(this, 'Mapping', { api: this.api, domainName, stage: this.stage });
    return domainName.regionalDomainName;
  }
}
