import { tableNamesFromEnvironment } from '../../core/runtime/environment.ts';
import { connect } from '../admin/deployment/database.ts';
import type { Deployment } from '../admin/deployment/deployment.ts';
import type { IntakeEntry } from '../cloud/stage-schema.ts';
import { requireVariables } from './require-variables.ts';

/** Bucket, entries and deployment, which the build gets from its project. @throws MissingEnvironment */
export const intakeEnvironment = () => {
  const { AWS_REGION, STACK, CONFIRMED_STACK, METRICS_NAMESPACE, INTAKE_BUCKET, INTAKE } = requireVariables([
    'AWS_REGION',
    'STACK',
    'CONFIRMED_STACK',
    'METRICS_NAMESPACE',
    'INTAKE_BUCKET',
    'INTAKE',
  ]);
  const account = { region: AWS_REGION };
  const deployment: Deployment = {
    db: connect(account),
    tableNames: tableNamesFromEnvironment(['vehicles', 'compliance']),
    address: `the stack ${STACK} in ${AWS_REGION}`,
    remedy: 'check the stack in the CloudFormation console',
    readCaller: async () => `the intake of ${STACK}`,
    aws: { profile: undefined },
    importMetrics: { namespace: METRICS_NAMESPACE, account },
    // Whoever runs this by hand confirms it as any other import.
    guard: { name: STACK, given: CONFIRMED_STACK },
  };
  return { account, bucketName: INTAKE_BUCKET, entries: JSON.parse(INTAKE) as readonly IntakeEntry[], deployment };
};
