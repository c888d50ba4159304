/** Routes as API Gateway writes them: literal segments and `{name}` for one segment. */

const parameterName = (segment: string): string | undefined => /^\{(\w+)\}$/.exec(segment)?.[1];

/** The path parameters when a path matches a route, otherwise undefined. Segments are compared without decoding. */
export const matchRoute = (template: string, path: string): Record<string, string> | undefined => {
  const expected = template.split('/');
  const segments = path.split('/');
  if (expected.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const wanted = expected[index] ?? '';
    const name = parameterName(wanted);
    if (name !== undefined && segment !== '') parameters[name] = segment;
    else if (wanted !== segment) return undefined;
  }
  return parameters;
};
