import { type App, ArnFormat, Duration, Stack, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { ServiceStack } from '../../lib/cloud/service-stack.ts';

/** Days that a daily backup and its copy are kept. */
const DAILY = Duration.days(35);
/** Days that a monthly backup is kept. */
const MONTHLY = Duration.days(365);

/**
 * Backs up keys and content every night, with a copy in a second region, and every month. Vehicles and compliance are
 * left out: they are loaded from files, and each backup would keep erased ones.
 */
export const addBackups = (app: App, service: ServiceStack, { copyRegion }: { readonly copyRegion: string }): void => {
  const name = service.stackName;
  const copies = new Stack(app, `${name}-copies`, { env: { account: service.account, region: copyRegion } });
  new BackupVault(copies, 'Vault', { backupVaultName: name });
  service.addStackDependency(copies);
  const vaultArn = service.formatArn({
    service: 'backup',
    region: copyRegion,
    resource: 'backup-vault',
    resourceName: name,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const copyVault = BackupVault.fromBackupVaultArn(service, 'CopyVault', vaultArn);
  const plan = new BackupPlan(service, 'BackupPlan', {
    backupVault: new BackupVault(service, 'BackupVault'),
    backupPlanRules: [
      new BackupPlanRule({
        ruleName: 'Daily',
        scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
        deleteAfter: DAILY,
        copyActions: [{ destinationBackupVault: copyVault, deleteAfter: DAILY }],
      }),
      new BackupPlanRule({
        ruleName: 'Monthly',
        scheduleExpression: Schedule.cron({ day: '1', hour: '4', minute: '0' }),
        deleteAfter: MONTHLY,
      }),
    ],
  });
  const { keys, content } = service.tables.byId;
  const resources = [keys, content].map(({ tableArn }) => BackupResource.fromArn(tableArn));
  plan.addSelection('Tables', { resources, allowRestores: true });
  for (const policy of ['Backup', 'Restores']) {
    const id = `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyFor${policy}]`;
    Validations.of(plan).acknowledge({ id, reason: 'AWS documents these policies for this role.' });
  }
};
