import { describe, expect, it } from '@jest/globals';
import { type Resource, referenced, resourcesOf, tableNamed, templateOf } from './synthesised.ts';

const template = await templateOf({ stage: 'prod' });

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
}

const resourceName = (resource: unknown): string =>
  tableNamed(referenced(resource)).replace(/^.*Logs[0-9A-F]{8}$/, 'own log');

/** Each resource and action of a statement. */
const permissionsOf = ({ Effect, Action, Resource }: Statement): [string, string][] => {
  const negation = Effect === 'Allow' ? '' : 'NOT ';
  return [Resource]
    .flat()
    .flatMap((resource) =>
      [Action].flat().map((action): [string, string] => [negation + resourceName(resource), action]),
    );
};

/** `notfound: keys GetItem; usage UpdateItem; own log …`. */
const describePolicy = ({ properties }: Resource): string => {
  const { PolicyDocument, Roles } = properties as { PolicyDocument: { Statement: Statement[] }; Roles: unknown[] };
  const owner = referenced(Roles[0]).replace(/Role[0-9A-F]{8}$/, '');
  const byResource = Map.groupBy(PolicyDocument.Statement.flatMap(permissionsOf), ([resource]) => resource);
  const described = [...byResource].map(([resource, permissions]) =>
    [resource, ...permissions.map(([, action]) => action.replace('dynamodb:', '')).sort()].join(' '),
  );
  return `${owner}: ${described.sort().join('; ')}`;
};

describe('The permissions of each function', () => {
  it('are exactly these actions on exactly these tables', () => {
    expect(resourcesOf(template, 'AWS::IAM::Policy').map(describePolicy)).toEqual([
      'vehicleinsurance: keys GetItem; own log logs:CreateLogStream logs:PutLogEvents; usage UpdateItem; vehicles GetItem',
      'bulkinsurance: keys GetItem; own log logs:CreateLogStream logs:PutLogEvents; usage UpdateItem; vehicles BatchGetItem',
      'compliance: compliance BatchGetItem; keys GetItem; own log logs:CreateLogStream logs:PutLogEvents; usage UpdateItem; vehicles BatchGetItem',
      'bulkcompliance: compliance BatchGetItem; keys GetItem; own log logs:CreateLogStream logs:PutLogEvents; usage UpdateItem; vehicles BatchGetItem',
      'listcontent: content BatchGetItem GetItem Query; keys GetItem; own log logs:CreateLogStream logs:PutLogEvents; usage UpdateItem',
      'createcontent: content PutItem UpdateItem; keys GetItem; own log logs:CreateLogStream logs:PutLogEvents; usage UpdateItem',
      'readcontent: content GetItem; keys GetItem; own log logs:CreateLogStream logs:PutLogEvents; usage UpdateItem',
      'updatecontent: content DeleteItem GetItem PutItem UpdateItem; keys GetItem; own log logs:CreateLogStream logs:PutLogEvents; usage UpdateItem',
      'deletecontent: content DeleteItem GetItem UpdateItem; keys GetItem; own log logs:CreateLogStream logs:PutLogEvents; usage UpdateItem',
      'usage: keys GetItem; own log logs:CreateLogStream logs:PutLogEvents; usage Query UpdateItem',
      'notfound: keys GetItem; own log logs:CreateLogStream logs:PutLogEvents; usage UpdateItem',
      'Probe: own log logs:CreateLogStream logs:PutLogEvents',
    ]);
  });

  it('come from no managed policy, and only Lambda can assume the roles', () => {
    const roles = resourcesOf(template, 'AWS::IAM::Role').filter(({ id }) => !id.startsWith('Deployment'));
    expect(roles).toHaveLength(12);
    for (const { properties } of roles) {
      expect(properties.ManagedPolicyArns).toBeUndefined();
      expect(JSON.stringify(properties.AssumeRolePolicyDocument)).toContain('"Service":"lambda.amazonaws.com"');
    }
  });
});
