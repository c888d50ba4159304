import { type App, ArnFormat, Duration, Stack, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { ServiceStack } from '../../lib/cloud/service-stack.ts';

/** Days that a daily backup and its copy are kept. */
const DAILY = Duration.days(35);
/** Days that a monthly backup is kept. */
const MONTHLY = Duration.days(365);

/**
 * Backs up keys and content with AWS Backup: every night, kept for 35 days, with a copy in a second region, and once a
 * month, kept for a year. Vehicles and compliance are left out: they are loaded from files, and each backup would keep
 * erased ones.
 *
 * First turn it on in both regions:
 *
 *     for region in eu-west-2 eu-west-1; do aws backup update-region-settings --region $region \
 *       --resource-type-opt-in-preference DynamoDB=true --resource-type-management-preference DynamoDB=true; done
 *
 * The console of AWS Backup restores a recovery point as a new table, with the role of the selection. A GB costs 0.10
 * USD a month, and 0.02 USD to transfer to the other region.
 * @example
 * import { addBackups } from '../docs/recipes/backups.ts';
 *
 * addBackups(app, service, { copyRegion: 'eu-west-1' });
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
