import { describe, expect, it } from '@jest/globals';
import { type Resource, referenced, resourcesOf, tableNamed, templateOf } from './synthesised.ts';

const template = await templateOf({ stage: 'prod' });

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
}

const describeStatement = ({ Effect, Action, Resource }: Statement): string => {
  const actions = [Action].flat().map((action) => action.replace('dynamodb:', ''));
  const negation = Effect === 'Allow' ? '' : 'NOT ';
  return `${negation}${tableNamed(referenced(Resource)).replace(/^.*Logs[0-9A-F]{8}$/, 'own log')} ${actions.join(' ')}`;
};

const describePolicy = ({ properties }: Resource): string => {
  const { PolicyDocument, Roles } = properties as { PolicyDocument: { Statement: Statement[] }; Roles: unknown[] };
  const owner = referenced(Roles[0]).replace(/Role[0-9A-F]{8}$/, '');
  return `${owner}: ${PolicyDocument.Statement.map(describeStatement).join('; ')}`;
};

describe('The permissions of each function', () => {
  it('are exactly these actions on exactly these tables', () => {
    expect(resourcesOf(template, 'AWS::IAM::Policy').map(describePolicy)).toEqual([
      'vehicleinsurance: own log logs:CreateLogStream logs:PutLogEvents; keys GetItem; usage UpdateItem; vehicles GetItem',
      'bulkinsurance: own log logs:CreateLogStream logs:PutLogEvents; keys GetItem; usage UpdateItem; vehicles BatchGetItem',
      'compliance: own log logs:CreateLogStream logs:PutLogEvents; keys GetItem; usage UpdateItem; vehicles BatchGetItem; compliance BatchGetItem',
      'bulkcompliance: own log logs:CreateLogStream logs:PutLogEvents; keys GetItem; usage UpdateItem; vehicles BatchGetItem; compliance BatchGetItem',
      'listcontent: own log logs:CreateLogStream logs:PutLogEvents; keys GetItem; usage UpdateItem; content GetItem BatchGetItem Query',
      'createcontent: own log logs:CreateLogStream logs:PutLogEvents; keys GetItem; usage UpdateItem; content PutItem UpdateItem',
      'readcontent: own log logs:CreateLogStream logs:PutLogEvents; keys GetItem; usage UpdateItem; content GetItem',
      'updatecontent: own log logs:CreateLogStream logs:PutLogEvents; keys GetItem; usage UpdateItem; content GetItem PutItem UpdateItem DeleteItem',
      'deletecontent: own log logs:CreateLogStream logs:PutLogEvents; keys GetItem; usage UpdateItem; content GetItem UpdateItem DeleteItem',
      'usage: own log logs:CreateLogStream logs:PutLogEvents; keys GetItem; usage UpdateItem Query',
      'notfound: own log logs:CreateLogStream logs:PutLogEvents; keys GetItem; usage UpdateItem',
    ]);
  });

  it('come from no managed policy, and only Lambda can assume the roles', () => {
    for (const { properties } of resourcesOf(template, 'AWS::IAM::Role')) {
      expect(properties.ManagedPolicyArns).toBeUndefined();
      expect(JSON.stringify(properties.AssumeRolePolicyDocument)).toContain('"Service":"lambda.amazonaws.com"');
    }
  });
});
