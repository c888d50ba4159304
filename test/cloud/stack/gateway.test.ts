import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../functions/endpoints/table.ts';
import { DEV, FULL, KEPT, logicalName, PROD, referenced, resourcesOf, SERVING } from './templates.ts';

const ROUTES = Object.values(endpoints).flatMap(({ id, method, paths }) =>
  paths.map((path) => `${method} ${path} → ${logicalName(id)} live`),
);

/** `vehicleinsurance live`, the alias that an integration or a permission names. */
const aliasNamed = (alias: unknown): string => referenced(alias).replace(/Live[0-9A-F]{8}$/, ' live');

const integrations = resourcesOf(PROD, 'AWS::ApiGatewayV2::Integration');
const permissions = resourcesOf(PROD, 'AWS::Lambda::Permission');
const [api] = resourcesOf(PROD, 'AWS::ApiGatewayV2::Api');
const [stage] = resourcesOf(PROD, 'AWS::ApiGatewayV2::Stage');

const partsOf = (value: unknown): readonly unknown[] =>
  (value as { readonly 'Fn::Join'?: readonly [string, readonly unknown[]] })['Fn::Join']?.[1] ?? [];

describe('The gateway', () => {
  it('has a route to an alias for every path, and a default route', () => {
    const aliasOf = new Map(integrations.map(({ id, Properties }) => [id, aliasNamed(Properties.IntegrationUri)]));
    const routes = resourcesOf(PROD, 'AWS::ApiGatewayV2::Route').map(
      ({ Properties: { RouteKey, Target } }) => `${RouteKey} → ${aliasOf.get(referenced(partsOf(Target)[1]))}`,
    );
    expect(routes).toEqual([...ROUTES, '$default → notfound live']);
  });

  it('gets permission to invoke an alias before a route uses it, in updates too', () => {
    const permitted = new Map(permissions.map(({ id, Properties }) => [id, Properties.FunctionName]));
    // One of each function: the routes for both addresses of content wait for it, and it for the permission.
    expect(integrations.map(({ Properties }) => aliasNamed(Properties.IntegrationUri))).toEqual(
      SERVING.map((id) => `${logicalName(id)} live`),
    );
    for (const { Properties, DependsOn } of integrations) {
      expect(DependsOn?.map((id) => permitted.get(id))).toEqual([Properties.IntegrationUri]);
    }
  });

  it('may invoke a function from its route only, or from all routes if it has two, but never from another API', () => {
    const sources = new Map(
      permissions.map(({ Properties }) => [aliasNamed(Properties.FunctionName), partsOf(Properties.SourceArn)]),
    );
    for (const { id, paths } of [...Object.values(endpoints), { id: 'not-found', paths: [''] }]) {
      expect(sources.get(`${logicalName(id)} live`)).toEqual([
        'arn:aws:execute-api:eu-west-2:123456789012:',
        { Ref: api?.id },
        paths.length === 1 ? `/*/*${paths[0]}` : '/*/*/*',
      ]);
    }
  });

  it('has the throttle of the settings and no CORS, and deploys each change by itself', () => {
    expect(api?.Properties).not.toHaveProperty('CorsConfiguration');
    const DefaultRouteSettings = { ThrottlingRateLimit: 1_000, ThrottlingBurstLimit: 2_000 };
    expect(stage?.Properties).toMatchObject({ AutoDeploy: true, DefaultRouteSettings });
  });

  it('logs the route and never the path, the query, the client’s address or a header', () => {
    const settings = stage?.Properties.AccessLogSettings as { readonly Format: string } | undefined;
    expect(Object.values(JSON.parse(settings?.Format ?? '{}')).sort()).toEqual(
      [
        ...['error.message', 'integrationErrorMessage', 'integrationLatency', 'integrationStatus', 'requestId'],
        ...['responseLatency', 'responseLength', 'routeKey', 'status'],
      ].map((name) => `$context.${name}`),
    );
  });

  it('logs the client’s address where sourceAddressDays says so, and keeps that log for as many days', () => {
    const [logged] = resourcesOf(FULL, 'AWS::ApiGatewayV2::Stage');
    expect(JSON.stringify(logged?.Properties.AccessLogSettings)).toContain('$context.identity.sourceIp');
    const retentionOf = (template: typeof FULL) =>
      resourcesOf(template, 'AWS::Logs::LogGroup').map(({ id, Properties }) => [id, Properties.RetentionInDays]);
    const access = retentionOf(FULL).filter(([, days]) => days === 7);
    expect(access).toEqual([[expect.stringMatching(/^GatewayAccessLog/), 7]]);
  });

  it.each([
    ['the custom domain and the default endpoint', KEPT, false, true],
    ['the custom domain alone', FULL, true, true],
    ['the default endpoint', DEV, false, false],
  ])('serves %s, as the settings say', (_what, template, isDefaultDisabled, hasDomain) => {
    const [own] = resourcesOf(template, 'AWS::ApiGatewayV2::Api');
    expect(own?.Properties.DisableExecuteApiEndpoint).toBe(isDefaultDisabled);
    expect(resourcesOf(template, 'AWS::ApiGatewayV2::ApiMapping')).toHaveLength(hasDomain ? 1 : 0);
    const { BaseAddress, DomainTarget } = template.Outputs;
    expect(BaseAddress?.Value === 'https://api.example.com/v1').toBe(hasDomain);
    expect(DomainTarget !== undefined).toBe(hasDomain);
  });
});
