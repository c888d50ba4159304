import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { LOADS, PROD, permissionsIn, resourcesOf, type Statement, statementsOf, type Template } from './templates.ts';

const statementsIn = (output: string, template: Template): readonly Statement[] => {
  const { Ref } = (template.Outputs[output]?.Value ?? {}) as { readonly Ref?: string };
  return resourcesOf(template, 'AWS::IAM::ManagedPolicy')
    .filter(({ id }) => id === Ref)
    .flatMap(statementsOf);
};
const actionsIn = (output: string): string[] => statementsIn(output, LOADS).flatMap(({ Action }) => [Action].flat());

/** The groups of the CLI's commands that a policy permits. operator-policy.test.ts has what each command requests. */
const CLI_GROUPS: Readonly<Record<string, readonly string[]>> = {
  KeysPolicy: ['keys'],
  LoadsPolicy: ['content', 'import', 'remove'],
};

/** Each policy with what it permits. */
const permitted = (output: string): string[] => [
  ...actionsIn(output),
  ...(CLI_GROUPS[output] ?? []).map((group) => `admin ${group}`),
];

const OBJECTS = {
  cp: (source: string) => (/^"?s3:/.test(source) ? 'GetObject' : 'PutObject'),
  rm: () => 'DeleteObject',
};

/** `logs FilterLogEvents` of `aws logs filter-log-events`; the commands of `aws s3` have names of their own. */
const actionOf = (service: string, command: string, argument: string): string => {
  if (service !== 's3')
    return `${service}:${command.replace(/(?:^|-)(\w)/g, (_, first: string) => first.toUpperCase())}`;
  return `s3:${command === 'ls' ? 'ListBucket' : OBJECTS[command as keyof typeof OBJECTS](argument)}`;
};

/** What the commands in a text need, the functions of docs/logs.sh included. */
const neededBy = (commands: string): string[] => [
  ...[...commands.matchAll(/\baws ([a-z0-9]+) ([a-z0-9-]+) (\S*)/g)].map(
    ([, service = '', command = '', argument = '']) => actionOf(service, command, argument),
  ),
  ...[...commands.matchAll(/(?:^ *|\$\(|`)(resources|logs|query) /gm)].flatMap(
    ([, name = '']) => functions[name] ?? [],
  ),
  ...[...commands.matchAll(/^(keys|content|import|remove) \S/gm)].map(([, group]) => `admin ${group}`),
];

/** What each function of docs/logs.sh needs; a later one can call an earlier one. */
const functions: Record<string, string[]> = {};
for (const [, name = '', body = ''] of readFileSync('docs/logs.sh', 'utf8').matchAll(/^(\w+)\(\) \{\n(.*?)^\}/gms)) {
  functions[name] = neededBy(body);
}

/** The commands in blocks and between backquotes. */
const commandsIn = (text: string): string =>
  [...text.matchAll(/^```sh\n(.*?)^```$|`([^`\n]+)`/gms)].map(([, block, inline]) => block ?? inline).join('\n');

const sectionsOf = (document: string): string[] => readFileSync(document, 'utf8').split(/^##+ /m);
const [, ...ofRunbook] = sectionsOf('docs/runbook.md');
/** To which the runbook sends whoever rolls back. Its last paragraph is for later. */
const moveAlias = sectionsOf('docs/operations.md')
  .filter((section) => section.startsWith('Move an alias by hand'))
  .map((section) => section.replace(/^```\n(?!.*^```).*/ms, '```\n'));
const sections = [...ofRunbook, ...moveAlias].map((section) => ({
  title: section.split('\n')[0] ?? '',
  needed: neededBy(commandsIn(section)),
  named: [...section.matchAll(/`((?:Keys|Loads)Policy)`/g)].flatMap(([, output = '']) => permitted(output)),
}));

describe('OnCallPolicy', () => {
  const onCall = permitted('OnCallPolicy');

  it.each(sections)(
    'permits the commands of "$title", or the section names the policy that does',
    ({ needed, named }) => {
      expect(needed.filter((action) => ![...onCall, ...named].includes(action))).toEqual([]);
    },
  );

  it('permits nothing else', () => {
    const needed = sections.flatMap((section) => section.needed.filter((action) => !section.named.includes(action)));
    expect([...new Set(needed)].sort()).toEqual([...onCall].sort());
  });

  it('permits nothing on items, and changes only of what has the tags of the stage, or of the probe', () => {
    const tags = { 'aws:ResourceTag/service': 'vehicle-verification', 'aws:ResourceTag/stage': 'prod' };
    const reading = / \w+:(Get|List|Describe|BatchGet|Filter|StartQuery)/;
    const changes = permissionsIn(statementsIn('OnCallPolicy', PROD)).filter((permission) => !reading.test(permission));
    expect(changes).toEqual([
      `* lambda:UpdateAlias if ${JSON.stringify({ StringEquals: tags })}`,
      'ProbeEveryMinute events:EnableRule',
      'ProbeFunction lambda:UpdateFunctionConfiguration',
    ]);
    expect(onCall.filter((action) => /^(dynamodb|s3):/.test(action))).toEqual([]);
  });

  it('is attached to nobody', () => {
    for (const { Properties } of resourcesOf(PROD, 'AWS::IAM::ManagedPolicy')) {
      for (const attached of ['Users', 'Roles', 'Groups']) expect(Properties).not.toHaveProperty(attached);
    }
  });
});
