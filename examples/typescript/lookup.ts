/** Is this vehicle insured? `node lookup.ts AB12CDE` */
import { ApiProblem } from 'vehicle-verification';
import { client } from './client.ts';

const [registration = ''] = process.argv.slice(2);
try {
  const vehicle = await client.insurance(registration);
  const outcome = vehicle?.insured ? 'insured' : 'not insured';
  console.log(registration, vehicle ? outcome : 'VEHICLE_NOT_FOUND');
} catch (error) {
  // Only an error of the service itself has a code.
  if (!(error instanceof ApiProblem) || error.code === undefined) throw error;
  console.log(registration, error.code);
}
