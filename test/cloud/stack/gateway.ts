import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../functions/endpoints/table.ts';
import {
  FULL,
  logicalName,
  type Resource,
  referenced,
  resourcesOf,
  SERVING,
  type Template,
  templateOf,
} from './synthesised.ts';

const PROD = await templateOf({ stage: 'prod' });

const ROUTES = Object.values(endpoints).flatMap(({ id, method, paths }) =>
  paths.map((path) => `${method} ${path} → ${logicalName(id)} live`),
);

/** `vehicleinsurance live`, the alias that an integration invokes. */
const aliasNamed = ({ IntegrationUri }: Resource['properties']): string =>
  referenced(IntegrationUri).replace(/Live[0-9A-F]{8}$/, ' live');

/** `GET /v1/… → vehicleinsurance live`, through the route's integration. */
const routesOf = (template: Template) => {
  const targets = new Map(
    resourcesOf(template, 'AWS::ApiGatewayV2::Integration').map(({ id, properties }) => [id, aliasNamed(properties)]),
  );
  return resourcesOf(template, 'AWS::ApiGatewayV2::Route').map(({ properties: { RouteKey, Target } }) => {
    const [, [, integration]] = (Target as { 'Fn::Join': [string, [string, unknown]] })['Fn::Join'];
    return `${RouteKey} → ${targets.get(referenced(integration))}`;
  });
};

describe('The gateway', () => {
  it('has a route to an alias for every path, and a default route', () => {
    expect(routesOf(PROD)).toEqual([...ROUTES, '$default → notfound live']);
  });

  it('gets permission to invoke an alias before a route uses it, in updates too', () => {
    const permissions = new Map(
      resourcesOf(PROD, 'AWS::Lambda::Permission').map(({ id, properties }) => [
        id,
        referenced(properties.FunctionName),
      ]),
    );
    const integrations = resourcesOf(PROD, 'AWS::ApiGatewayV2::Integration');
    // One of each function: the routes for both addresses of content wait for it, and it for the permission.
    expect(integrations.map(({ properties }) => aliasNamed(properties))).toEqual(
      SERVING.map((id) => `${logicalName(id)} live`),
    );
    for (const { properties, dependsOn } of integrations) {
      expect(dependsOn.map((id) => permissions.get(id))).toEqual([referenced(properties.IntegrationUri)]);
    }
  });

  it('may invoke a function from its route only, or from all routes if it has two, but never from another API', () => {
    const [api] = resourcesOf(PROD, 'AWS::ApiGatewayV2::Api');
    const sources = new Map(
      resourcesOf(PROD, 'AWS::Lambda::Permission').map(({ properties: { FunctionName, SourceArn } }) => {
        const [, parts] = (SourceArn as { 'Fn::Join'?: [string, unknown[]] })['Fn::Join'] ?? ['', []];
        return [referenced(FunctionName).replace(/Live[0-9A-F]{8}$/, ''), parts];
      }),
    );
    for (const { id, paths } of [...Object.values(endpoints), { id: 'not-found', paths: [''] }]) {
      const [path = ''] = paths;
      expect(sources.get(logicalName(id))).toEqual([
        'arn:aws:execute-api:eu-west-2:123456789012:',
        { Ref: api?.id },
        paths.length === 1 ? `/*/*${path}` : '/*/*/*',
      ]);
    }
  });

  const [stage] = resourcesOf(PROD, 'AWS::ApiGatewayV2::Stage');

  it('deploys automatically to a stage at the root, with a throttle and without CORS', () => {
    const [api] = resourcesOf(PROD, 'AWS::ApiGatewayV2::Api');
    expect(api?.properties).not.toHaveProperty('CorsConfiguration');
    expect(stage?.properties).toMatchObject({
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 1_000, ThrottlingBurstLimit: 2_000 },
    });
  });

  it('logs the route and never the path, the query, the client’s address or a header', () => {
    const settings = stage?.properties.AccessLogSettings as { readonly Format: string } | undefined;
    expect(Object.values(JSON.parse(settings?.Format ?? '{}')).sort()).toEqual([
      '$context.error.message',
      '$context.integrationErrorMessage',
      '$context.integrationLatency',
      '$context.integrationStatus',
      '$context.requestId',
      '$context.responseLatency',
      '$context.responseLength',
      '$context.routeKey',
      '$context.status',
    ]);
  });

  it.each([
    [undefined, false],
    [true, true],
  ])('serves a custom domain, and disables the default endpoint only if set: %s', async (isDisabled, expected) => {
    const { settings } = FULL;
    const domain = { ...settings.domain, ...(isDisabled && { disableDefaultEndpoint: isDisabled }) };
    const template = await templateOf({ ...FULL, settings: { ...settings, domain } });
    expect(template.Outputs).toMatchObject({
      BaseAddress: { Value: 'https://api.example.com/v1' },
      DomainTarget: expect.anything(),
    });
    const [api] = resourcesOf(template, 'AWS::ApiGatewayV2::Api');
    expect(api?.properties.DisableExecuteApiEndpoint).toBe(expected);
    expect(resourcesOf(template, 'AWS::ApiGatewayV2::ApiMapping')).toHaveLength(1);
  });

  it('writes its access log to a log group of this CDK stack, under the prefix for logs of AWS services', () => {
    const names = resourcesOf(PROD, 'AWS::Logs::LogGroup').flatMap(({ properties }) => properties.LogGroupName ?? []);
    const stackId = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
    expect(names).toEqual([{ 'Fn::Join': ['', ['/aws/vendedlogs/vehicle-verification-prod-', stackId]] }]);
  });
});
