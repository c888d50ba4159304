import { registrationOf } from '../records/registration-of.ts';
import type { Row } from '../rows/row.ts';

/** Rows that stand together and speak of one vehicle; a row without a usable registration stands alone. */
export interface VehicleGroup {
  readonly registration: string | undefined;
  readonly rows: [Row, ...Row[]];
}

/** A vehicle has at most 20 policies; beyond this the rows are a mistake and are not held in memory together. */
const MAX_GROUP_ROWS = 1_000;

/** Puts together the rows of one vehicle. */
export const vehicleGroups = () => {
  let group: VehicleGroup | undefined;
  const next = (following: VehicleGroup | undefined): VehicleGroup | undefined => {
    const complete = group;
    group = following;
    return complete;
  };
  return {
    /** The group that this row ends, if it ends one. */
    add: (row: Row): VehicleGroup | undefined => {
      const registration = registrationOf(row);
      const belongs = registration !== undefined && registration === group?.registration;
      if (group === undefined || !belongs || group.rows.length >= MAX_GROUP_ROWS) {
        return next({ registration, rows: [row] });
      }
      group.rows.push(row);
      return undefined;
    },
    /** The last group. */
    end: (): VehicleGroup | undefined => next(undefined),
  };
};
