/** Is this vehicle insured? `node lookup.ts AB12CDE` */
import { ApiProblem } from 'vehicle-verification';
import { client } from './client.ts';

const [registration = ''] = process.argv.slice(2);
try {
  const vehicle = await client.insurance(registration);
  const outcome = vehicle?.insured ? 'insured' : 'not insured';
  console.log(registration, vehicle ? outcome : 'VEHICLE_NOT_FOUND');
} catch (error) {
  // Any other error ends the program.
  if (!(error instanceof ApiProblem) || error.code !== 'INVALID_REGISTRATION') throw error;
  console.log(registration, error.code);
}
