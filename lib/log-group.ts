import { RemovalPolicy } from 'aws-cdk-lib';
import type { LogGroupProps } from 'aws-cdk-lib/aws-logs';
import type { StageSettings } from './stage-settings.ts';

/** Logs are kept where data is kept, but not after a first deployment that fails, because they would be left over. */
export const logGroupProps = ({ keepsData, logRetentionDays }: StageSettings): LogGroupProps => ({
  retention: logRetentionDays,
  removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
});
