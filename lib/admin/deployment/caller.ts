/** Who runs a command, as the record of a key that it changes says. */
import { userInfo } from 'node:os';
import { CommandFailure } from '../command/command-result.ts';
import { awsErrorSentence } from './aws-errors.ts';
import { REQUEST_HANDLER } from './database.ts';

/** The name of the user of this machine; the id of one without a name, as in a container. */
export const userName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `user id ${process.getuid?.()}`;
  }
};

/** The ARN of the credentials, from STS, which needs no permission. @throws CommandFailure without an answer */
export const callerArn = async (account: { readonly region: string; readonly profile?: string }): Promise<string> => {
  // Loaded here, because only changes of keys need it.
  const { STSClient, GetCallerIdentityCommand } = await import('@aws-sdk/client-sts');
  const client = new STSClient({ ...account, requestHandler: REQUEST_HANDLER });
  try {
    const { Arn } = await client.send(new GetCallerIdentityCommand());
    if (Arn !== undefined) return Arn;
    throw new Error('The response of STS has no ARN.');
  } catch (error) {
    const failed = error instanceof Error ? error : new Error(String(error));
    const reason = awsErrorSentence(failed, account.profile) ?? `STS answered with ${failed.name}`;
    throw new CommandFailure(`it is not known whose these credentials are, so nothing was done: ${reason}`, {
      cause: error,
    });
  } finally {
    client.destroy();
  }
};
