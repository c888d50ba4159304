import { Refusal } from '../refusal.ts';

/** No vehicle has this registration. */
export class VehicleNotFound extends Refusal {
  override readonly name = 'VehicleNotFound';
  readonly code = 'VEHICLE_NOT_FOUND';
  static readonly detail = 'No vehicle with this registration is in the database.';

  constructor() {
    super(VehicleNotFound.detail);
  }
}
