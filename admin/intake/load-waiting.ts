import { S3Client } from '@aws-sdk/client-s3';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import type { IntakeEntry, IntakeOutput } from '../../core/stage/intake-entry.ts';
import { OTHER_SERVICE_TIMEOUTS } from '../deployment/database.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { intakeBucket, loadedKey } from './bucket.ts';
import { type LoadContext, loadFile, writeReport } from './load-file.ts';
import { decide, listWaiting, readLastLoaded } from './waiting-files.ts';

type Entries = readonly [IntakeEntry, ...IntakeEntry[]];

/** Runs `use` with the bucket and the topic of a deployment. */
export const withBucket = async <Result>(
  { bucket, topic }: IntakeOutput,
  context: CommandContext,
  use: (context: LoadContext) => Promise<Result>,
): Promise<Result> => {
  const config = { ...context.deployment.account, requestHandler: OTHER_SERVICE_TIMEOUTS };
  const s3 = new S3Client(config);
  const sns = new SNSClient(config);
  try {
    return await use({
      ...context,
      bucket: intakeBucket(s3, bucket),
      notify: async (Message) => {
        await sns.send(new PublishCommand({ TopicArn: topic, Subject: 'Intake: a file was refused', Message }));
      },
      log: (line) => void context.stderr.write(`${JSON.stringify(line)}\n`),
    });
  } finally {
    s3.destroy();
    sns.destroy();
  }
};

/** Lists the waiting files, with the decision about each. @param entries the entries of one kind and supplier */
export const findWaiting = async (entries: Entries, { bucket, now }: LoadContext) => {
  const { files, ignored } = await listWaiting(entries, bucket, now());
  const last = await readLastLoaded(loadedKey(entries[0]), bucket);
  return { decisions: decide(files, last), last, ignored };
};

/**
 * Loads files until none waits. @returns the number of files by outcome, and of ignored objects
 * @throws CommandFailure when a load fails: a later file must not be loaded before an earlier one
 */
export const loadWaiting = async (entries: Entries, context: LoadContext) => {
  const counts = { loaded: 0, refused: 0, superseded: 0 };
  for (;;) {
    const { decisions, last, ignored } = await findWaiting(entries, context);
    if (decisions.length === 0) return { ...counts, ignored };
    for (const { file, action, reason } of decisions) {
      if (action === 'wait') continue;
      const outcome =
        action === 'load'
          ? await loadFile(file, last, context)
          : await writeReport(file, { outcome: action, reason }, context);
      counts[outcome] += 1;
    }
  }
};
