import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Policy } from './record.ts';

const policyIn = ({ M: fields }: AttributeValue): Policy | undefined => {
  const number = fields?.number?.S;
  const insurer = fields?.insurer?.S;
  const validFrom = fields?.validFrom?.S;
  const validTo = fields?.validTo?.S;
  const type = fields?.type?.S;
  const isWhole =
    number !== undefined &&
    insurer !== undefined &&
    validFrom !== undefined &&
    validTo !== undefined &&
    type !== undefined;
  return isWhole ? { number, insurer, validFrom, validTo, type } : undefined;
};

/**
 * The policies in a vehicle's item, or undefined when it is damaged. Read field by field: a bulk request reads a thousand
 * items, and the SDK's `unmarshall`, made for items of any shape, would be an eighth of its time.
 */
export const policiesIn = (item: Record<string, AttributeValue>): readonly Policy[] | undefined => {
  const policies = item.policies?.L?.map(policyIn);
  return policies?.every((policy) => policy !== undefined) ? policies : undefined;
};
