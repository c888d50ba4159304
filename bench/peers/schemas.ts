/** The event of a lookup as JSON Schema, which `@middy/validator` checks; without the separators that nobody types. */
const REGISTRATION = '^(?=.{1,32}$)[ .-]*(?:[0-9A-Za-zÄÖÜÅäöüå][ .-]*){1,12}$';

export default {
  type: 'object',
  required: ['pathParameters'],
  properties: {
    pathParameters: {
      type: 'object',
      required: ['registration'],
      properties: { registration: { type: 'string', pattern: REGISTRATION } },
    },
    queryStringParameters: { type: 'object', properties: { date: { type: 'string', format: 'date' } } },
  },
};
