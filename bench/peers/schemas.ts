/** The input of the lookup as JSON Schema, without the separators that nobody types. */
export const REGISTRATION = '^(?=.{1,32}$)[ .-]*(?:[0-9A-Za-zÄÖÜÅäöüå][ .-]*){1,12}$';

export const params = {
  type: 'object',
  required: ['registration'],
  properties: { registration: { type: 'string', pattern: REGISTRATION } },
};

export const query = { type: 'object', properties: { date: { type: 'string', format: 'date' } } };

/** Of an event, which `@middy/validator` checks. */
export default {
  type: 'object',
  required: ['pathParameters'],
  properties: { pathParameters: params, queryStringParameters: query },
};
