import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';

/**
 * True when a conditional write was made, false when its condition did not hold. That may be because of the write itself:
 * when it was made, but its answer lost, the SDK sends it again. @throws whatever else went wrong
 */
export const onlyIfUnchanged = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};
