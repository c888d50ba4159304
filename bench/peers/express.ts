/** https://expressjs.com/en/starter/hello-world.html with https://github.com/CodeGenieApp/serverless-express. */
import serverlessExpress from '@codegenie/serverless-express';
import express from 'express';
import { lookUp } from '../raw-handler.ts';

const app = express();

app.get('/v1/vehicle/:registration/insurance', async (request, response) => {
  const item = await lookUp(request.params.registration);
  if (item) response.json(item);
  else response.sendStatus(404);
});

export const handler = serverlessExpress({ app });
