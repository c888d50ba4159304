/** https://docs.powertools.aws.dev/lambda/typescript/latest/features/event-handler/http/. */
import { NotFoundError, Router } from '@aws-lambda-powertools/event-handler/http';
import { lookUp } from '../raw-handler.ts';

const app = new Router();

app.get('/v1/vehicle/:registration/insurance', async ({ params }) => {
  const item = await lookUp(params.registration);
  if (!item) throw new NotFoundError('unknown vehicle');
  return item;
});

export const handler = async (event: unknown, context: unknown) => app.resolve(event, context);
