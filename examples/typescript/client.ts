import { VehicleVerification } from 'vehicle-verification';

/** Waits for the rate limit and repeats what may be repeated. */
export const client = new VehicleVerification({
  baseUrl: `${process.env.API_ORIGIN}/v1`,
  apiKey: process.env.API_KEY ?? '',
});
