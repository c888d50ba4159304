import { CfnOutput, DefaultStackSynthesizer, type IStackSynthesizer, Stack, Tags, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { DEFAULT_PLANS } from '../core/access/plans.ts';
import * as names from '../core/stage/outputs.ts';
import type { TableId } from '../core/tables.ts';
import type { FunctionId } from '../functions/endpoints/endpoint-files.ts';
import { type EndpointId, endpoints } from '../functions/endpoints/table.ts';
import type { Endpoint, HttpFunction } from '../functions/http/endpoint-definition.ts';
import { endpoint as notFound } from '../functions/not-found/endpoint.ts';
import { AlarmTopic, addAlarms } from './alarms.ts';
import { addAudit } from './audit.ts';
import { AwsSolutions } from './aws-solutions.ts';
import type { Bundles } from './bundles.ts';
import { addDashboard } from './dashboard.ts';
import { EndpointFunction } from './endpoint-function.ts';
import { HttpGateway } from './http-gateway.ts';
import { Intake } from './intake.ts';
import { LookupLog } from './lookup-log.ts';
import { addOnCallPolicy } from './on-call-policy.ts';
import { addOperatorPolicies } from './operator-policy.ts';
import { Probe } from './probe.ts';
import { loadsNamespace } from './service-metrics.ts';
import { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

interface ServiceStackProps {
  readonly settings: StageSettings;
  readonly bundles: Bundles;
  /** The folder of the bundle of the operators' command line; only for a stage with the setting `intake`. */
  readonly program?: string | undefined;
  /** The commit of the deployment. It says so when there were uncommitted changes. */
  readonly commit: string;
}

/**
 * The CDK stack of one stage:
 *
 *     caller → HttpGateway ─ a route per path of functions/endpoints/table.ts, `$default` for all other requests
 *                └→ EndpointFunction ─ one per endpoint, with its permissions; its alias `live` is invoked
 *                     └→ ServiceTables ─ one per description in core/tables.ts
 *     Intake ─ loads the files that are put into its bucket, if the settings say so; it runs the operators' CLI
 *     Probe ─ a caller that runs a smoke test every minute; updated after every alias
 *     operator ← alarms with an AlarmTopic, a dashboard, policies for the CLI, which reads the outputs, and the runbook
 *     auditor ← a trail of CloudTrail, and a LookupLog with the key of logged lookups, if the settings say so
 */
export class ServiceStack extends Stack {
  private readonly tables: ServiceTables;
  private readonly gateway: HttpGateway;

  constructor(scope: Construct, id: string, { settings, bundles, program, commit }: ServiceStackProps) {
    const { stage, region, account, keepsData, owner, bootstrapQualifier: qualifier } = settings;
    super(scope, id, {
      description: `Vehicle verification API, stage ${stage}`,
      env: { region, ...(account && { account }) },
      terminationProtection: keepsData,
      ...(qualifier !== undefined && { synthesizer: new DefaultStackSynthesizer({ qualifier }) as IStackSynthesizer }),
    });
    Validations.of(this).addPlugins(new AwsSolutions());
    // Adding a tag replaces no resource.
    const tags = { service: 'vehicle-verification', stage, ...(owner !== undefined && { owner }) };
    for (const [name, value] of Object.entries(tags)) {
      // The schemas of cfn-lint 1.51 allow no tags on a dashboard.
      Tags.of(this).add(name, value, { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] });
    }
    this.tables = new ServiceTables(this, 'Tables', settings);
    this.gateway = new HttpGateway(this, 'Gateway', settings);
    const { tables, gateway } = this;
    const functions = new Map<FunctionId, EndpointFunction>();

    const addFunction = (functionId: FunctionId, summary: string, endpoint: HttpFunction) => {
      const bundle = bundles[functionId];
      const added = new EndpointFunction(this, functionId, { settings, summary, bundle, endpoint, tables });
      functions.set(functionId, added);
      return added.live;
    };
    for (const [endpointId, endpoint] of Object.entries(endpoints) as [EndpointId, Endpoint][]) {
      gateway.addRoutes(endpointId, endpoint, addFunction(endpointId, endpoint.summary, endpoint));
    }
    gateway.addDefaultRoute('not-found', addFunction('not-found', 'Answers every other path', notFound));

    const { lookupLog: logged } = settings;
    const lookups = (Object.keys(endpoints) as EndpointId[]).filter((id) => 'vehicles' in endpoints[id].tables);
    const lambdas = lookups.flatMap((id) => functions.get(id)?.lambda ?? []);
    const lookupLog = logged && new LookupLog(this, 'LookupLog', { settings, tables, functions: lambdas, ...logged });

    const { origin } = gateway;
    const probe = new Probe(this, 'Probe', { settings, bundle: bundles.probe, origin, tables, functions });
    const topic = new AlarmTopic(this, 'Alarms', { settings, probe });
    const { intake: entries } = settings;
    const intake =
      entries && program !== undefined
        ? new Intake(this, 'Intake', { settings, entries, program, tables, topicArn: topic.messagesArn, probe })
        : undefined;
    const monitored = { settings, gateway, tables, functions, intakeProjects: intake?.projects ?? [] };
    const dashboard = addDashboard(this, monitored, addAlarms(topic, monitored));
    this.addOutputs(settings, commit, topic.own.topicArn);
    addOperatorPolicies(this, { settings, tables, files: intake?.bucket });
    addOnCallPolicy(this, stage, probe, dashboard);
    if (settings.audit || lookupLog) {
      const { messagesArn: topicArn } = topic;
      addAudit(this, { settings, tables, files: intake?.bucket, topicArn, lookupKeyId: lookupLog?.key.keyId });
    }
  }

  private addOutputs(
    { stage, plans = DEFAULT_PLANS, checks, keepsData, expectImports, intake }: StageSettings,
    commit: string,
    topicArn: string,
  ): void {
    const { gateway, tables } = this;
    const addOutput = (name: string, value: string) => new CfnOutput(this, name, { value });
    addOutput('BaseAddress', `${gateway.origin}/v1`);
    if (gateway.domainTarget) addOutput('DomainTarget', gateway.domainTarget);
    addOutput('Stage', stage);
    addOutput(names.PLANS_OUTPUT, JSON.stringify(plans));
    if (checks) addOutput(names.CHECKS_OUTPUT, checks.join(','));
    if (expectImports || intake) addOutput(names.IMPORT_METRICS_OUTPUT, loadsNamespace(stage, 'ByHand'));
    addOutput(names.KEEPS_DATA_OUTPUT, keepsData ? 'yes' : 'no');
    for (const [id, { tableName }] of Object.entries(tables.byId)) {
      addOutput(names.tableOutput(id as TableId), tableName);
    }
    addOutput('Commit', commit);
    addOutput('AlarmTopic', topicArn);
  }
}
