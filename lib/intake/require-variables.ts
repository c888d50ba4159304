import { MissingEnvironment } from '../../core/runtime/environment.ts';

/** The environment, in which these variables have values. @throws MissingEnvironment naming every one that has none */
export const requireVariables = <Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> => {
  const missing = names.filter((name) => !process.env[name]);
  if (missing.length > 0) throw new MissingEnvironment(missing);
  return process.env as Record<Name, string>;
};
