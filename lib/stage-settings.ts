/** The settings of the stage that `-c stage=…` names. No CDK imports, because they load slowly. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DEFAULT_THROTTLE, type StageFile } from '../core/stage/stage-schema.ts';
import { stageFileProblems } from './stage-file-problems.ts';

/** The settings of a stage: its file with defaults, and what `-c` gives. */
export interface StageSettings extends StageFile {
  /** `dev`, `prod` or any other name of lower-case letters, digits and hyphens. */
  readonly stage: string;
  /** The path of the settings file, such as `stages/dev.json`. */
  readonly file: string;
  readonly keepsData: boolean;
  readonly throttle: NonNullable<StageFile['throttle']>;
  readonly logRetentionDays: number;
  readonly architecture: 'arm64' | 'x86_64';
}

/** The settings of a stage are wrong. The message has one line for each problem. */
export class InvalidSettings extends Error {
  override readonly name = 'InvalidSettings';

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

const ROOT = resolve(import.meta.dirname, '..');
const STAGE_NAME = /^[a-z][a-z0-9-]{0,19}$/;

/** The names that `-c` accepts besides the CDK's own, which have a colon or a slash. */
const ACCEPTED = ['stage', 'stages', 'architecture'];
const OWN_NAME = /^[\w.-]+$/;

const read = (file: string): { readonly value?: unknown; readonly problems?: readonly string[] } => {
  try {
    return { value: JSON.parse(readFileSync(resolve(ROOT, file), 'utf8')) };
  } catch (error) {
    if (error instanceof SyntaxError) return { problems: [`${file} is not valid JSON: ${error.message}.`] };
    return { problems: [`There is no file ${file} with the settings of the stage.`] };
  }
};

/**
 * Reads the settings of a stage from `stages/STAGE.json`. `-c stage=…` names the stage, `dev` when absent; `-c
 * stages=…` names another folder of settings files; `-c architecture=x86_64` is for `sam local`.
 * @param context everything that `-c` and cdk.json set
 * @throws InvalidSettings with all problems at once
 */
export const stageSettings = (context: Readonly<Record<string, unknown>>): StageSettings => {
  const { stage = 'dev', stages = 'stages', architecture = 'arm64' } = context;
  if (typeof stage !== 'string' || !STAGE_NAME.test(stage)) {
    throw new InvalidSettings(['-c stage must be lower-case letters, digits and hyphens, at most 20.']);
  }
  const folder = String(stages);
  const file = join(folder, `${stage}.json`);
  const all = Object.keys(context)
    .filter((name) => OWN_NAME.test(name) && !ACCEPTED.includes(name))
    .map((name) => `-c ${name} is unknown: -c accepts ${ACCEPTED.join(', ')}; the settings are in ${file}.`);
  if (!['arm64', 'x86_64'].includes(String(architecture))) {
    all.push('-c architecture must be arm64 (the default, 20 % cheaper) or x86_64.');
  }
  const { value, problems } = read(file);
  all.push(...(problems ?? stageFileProblems(stage, value).map((problem) => `${file}: ${problem}.`)));
  if (all.length > 0) throw new InvalidSettings(all);
  const settings = value as StageFile;
  return {
    stage,
    file,
    architecture: architecture as StageSettings['architecture'],
    keepsData: false,
    throttle: DEFAULT_THROTTLE,
    logRetentionDays: settings.keepsData ? 90 : 7,
    ...settings,
  };
};
