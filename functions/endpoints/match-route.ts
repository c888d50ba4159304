/**
 * The path parameters when a path matches a route, otherwise undefined. Compares without decoding.
 * @param template as in API Gateway: literal segments, and `{name}` for one segment
 */
export const matchRoute = (template: string, path: string): Record<string, string> | undefined => {
  const expected = template.split('/');
  const segments = path.split('/');
  if (expected.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const wanted = expected[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(wanted)?.[1];
    if (name !== undefined && segment !== '') parameters[name] = segment;
    else if (wanted !== segment) return undefined;
  }
  return parameters;
};
