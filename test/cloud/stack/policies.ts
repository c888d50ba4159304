import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../functions/endpoints/table.ts';
import type { Endpoint } from '../../../functions/http/endpoint.ts';
import { logicalName, type Resource, referenced, resourcesOf, SERVING, tableNamed, templateOf } from './synthesised.ts';

const template = await templateOf({ stage: 'prod' });

const LOG_ACTIONS = ['logs:CreateLogStream', 'logs:PutLogEvents'];

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

const statementsOf = ({ properties }: Resource): Statement[] =>
  (properties.Policies as { PolicyDocument: { Statement: Statement[] } }[]).flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );

/** `notfound: keys GetItem; usage UpdateItem; own log …`. */
const describeRole = (role: Resource): string => {
  const byResource = Map.groupBy(statementsOf(role).flatMap(permissionsOf), ([resource]) => resource);
  const described = [...byResource].map(([resource, permissions]) =>
    [resource, ...permissions.map(([, action]) => action.replace('dynamodb:', '')).sort()].join(' '),
  );
  return `${role.id.replace(/Role[0-9A-F]{8}$/, '')}: ${described.sort().join('; ')}`;
};

/** Those of the functions, the probe's included. */
const roles = resourcesOf(template, 'AWS::IAM::Role').filter(({ id }) => !id.startsWith('Deployment'));

describe('The permissions of each function', () => {
  it('are exactly these actions on exactly these tables', () => {
    const rows: readonly Pick<Endpoint, 'id' | 'tables'>[] = [
      ...Object.values(endpoints),
      { id: 'not-found', tables: {} },
    ];
    expect(roles.map(describeRole)).toEqual([
      ...rows.map(({ id, tables: { usage = [], ...others } }) => {
        // Admission reads the key and counts the request.
        const actions = { keys: ['GetItem'], usage: ['UpdateItem', ...usage], ...others, 'own log': LOG_ACTIONS };
        const described = Object.entries(actions).map(([resource, names]) => [resource, ...names.toSorted()].join(' '));
        return `${logicalName(id)}: ${described.sort().join('; ')}`;
      }),
      // stack/probe.ts has the condition: only records of its own keys.
      `Probe: keys PutItem; ${['own log', ...LOG_ACTIONS].join(' ')}`,
    ]);
    expect(resourcesOf(template, 'AWS::IAM::Policy')).toEqual([]);
  });

  it('include no managed policy, and only Lambda can assume the roles', () => {
    // One of each function and of the probe.
    expect(roles).toHaveLength(SERVING.length + 1);
    for (const { properties } of roles) {
      expect(properties.ManagedPolicyArns).toBeUndefined();
      expect(JSON.stringify(properties.AssumeRolePolicyDocument)).toContain('"Service":"lambda.amazonaws.com"');
    }
  });
});
