/**
 * Vehicles for every outcome: what test keys look up, and the sample data of a developer's machine. Dates are relative to today.
 * docs/sample-data.md lists them; a test compares the two.
 */
import type { VehicleDetails } from '../vehicles/record.ts';

/** Days from today; negative for the past. */
export type Days = number;

/** Days of the MOT and of road tax, and unpaid fines. */
export interface SandboxCompliance {
  readonly mot: Days | 'exempt';
  readonly tax: Days | 'exempt' | 'sorn';
  readonly fines: number;
}

/** A vehicle, with dates relative to today. */
export interface SandboxVehicle {
  readonly registration: string;
  /** The outcome that the vehicle shows. */
  readonly shows: string;
  readonly vehicle: VehicleDetails;
  /** First and last day of each policy. */
  readonly policies: readonly (readonly [from: Days, to: Days])[];
  /** Absent where the vehicle has no compliance record. */
  readonly compliance?: SandboxCompliance;
}

const sandbox = (
  registration: string,
  shows: string,
  vehicle: VehicleDetails,
  policies: SandboxVehicle['policies'],
  compliance?: SandboxCompliance,
): SandboxVehicle => ({ registration, shows, vehicle, policies, ...(compliance && { compliance }) });

const car = (make: string, model: string, year: number, color: string) => ({ make, model, year, color });

/** A policy in force for half a year, and a compliant record. */
const INSURED = [[-182, 182]] as const;
const COMPLIANT: SandboxCompliance = { mot: 120, tax: 90, fines: 0 };

/** Every sandbox vehicle. The place in the list decides policy numbers, insurer and cover: add at the end. */
export const SANDBOX_VEHICLES: readonly SandboxVehicle[] = [
  sandbox('AB12 CDE', 'insured, compliant', car('Ford', 'Fiesta', 2012, 'Blue'), INSURED, COMPLIANT),
  sandbox(
    'BD51 SMR',
    'insured until today, included',
    car('Vauxhall', 'Corsa', 2001, 'Silver'),
    [[-364, 0]],
    COMPLIANT,
  ),
  sandbox('CE20 NEW', 'insured from today, included', car('MINI', 'Hatch', 2020, 'Red'), [[0, 364]], COMPLIANT),
  sandbox('DG65 OLD', 'lapsed yesterday', car('Nissan', 'Qashqai', 2015, 'White'), [[-365, -1]], COMPLIANT),
  sandbox(
    'EK14 TWO',
    'lapsed twice; the later policy answers',
    car('Toyota', 'Yaris', 2014, 'Grey'),
    [
      [-900, -536],
      [-500, -136],
    ],
    COMPLIANT,
  ),
  sandbox('FL70 SUN', 'insurance begins tomorrow', car('Kia', 'Niro', 2020, 'Green'), [[1, 365]], COMPLIANT),
  sandbox(
    'GM19 REN',
    'renewal loaded early; the policy in force answers',
    car('Honda', 'Civic', 2019, 'Black'),
    [
      [-350, 14],
      [15, 379],
    ],
    COMPLIANT,
  ),
  sandbox(
    'HN16 GAP',
    'lapsed, next policy not begun: a gap',
    car('Mazda', 'CX-5', 2016, 'Red'),
    [
      [-400, -36],
      [30, 394],
    ],
    COMPLIANT,
  ),
  sandbox(
    'JP22 DUO',
    'two policies in force; the later start answers',
    car('BMW', 'i3', 2022, 'Orange'),
    [
      [-200, 164],
      [-20, 344],
    ],
    COMPLIANT,
  ),
  sandbox('KR08 NIL', 'known, no policy at all', car('Peugeot', '208', 2008, 'Yellow'), [], COMPLIANT),
  sandbox('LS13 MOT', 'MOT expired yesterday', car('Renault', 'Clio', 2013, 'Blue'), INSURED, {
    ...COMPLIANT,
    mot: -1,
  }),
  sandbox('MT17 DUE', 'MOT due today: still valid', car('SEAT', 'Ibiza', 2017, 'White'), INSURED, {
    ...COMPLIANT,
    mot: 0,
  }),
  sandbox('XYZ 999', 'historic: exempt from MOT and tax', car('Morris', 'Minor', 1963, 'Green'), INSURED, {
    mot: 'exempt',
    tax: 'exempt',
    fines: 0,
  }),
  sandbox('NV18 TAX', 'road tax expired yesterday', car('Hyundai', 'i20', 2018, 'Silver'), INSURED, {
    ...COMPLIANT,
    tax: -1,
  }),
  sandbox('OW21 DAY', 'road tax paid until today', car('Dacia', 'Sandero', 2021, 'Brown'), INSURED, {
    ...COMPLIANT,
    tax: 0,
  }),
  sandbox('PX23 EVS', 'electric: exempt from tax', car('Tesla', 'Model 3', 2023, 'White'), INSURED, {
    ...COMPLIANT,
    tax: 'exempt',
  }),
  sandbox('RA09 SRN', 'declared off the road (SORN)', car('Land Rover', 'Defender', 2009, 'Green'), INSURED, {
    ...COMPLIANT,
    tax: 'sorn',
  }),
  sandbox('SB66 FIN', 'one unpaid fine', car('Audi', 'A3', 2016, 'Black'), INSURED, { ...COMPLIANT, fines: 1 }),
  sandbox('TC11 ALL', 'fails all four checks', car('Fiat', 'Panda', 2011, 'Yellow'), [[-800, -436]], {
    mot: -30,
    tax: -60,
    fines: 3,
  }),
  sandbox('UD07 OFF', 'no policy, MOT expired, SORN, fines', car('Rover', '75', 2007, 'Grey'), [], {
    mot: -400,
    tax: 'sorn',
    fines: 2,
  }),
  sandbox('VE24 UNK', 'insured, no compliance record', car('Cupra', 'Born', 2024, 'Copper'), INSURED),
  sandbox('WF15 LAP', 'lapsed, no compliance record', car('Suzuki', 'Swift', 2015, 'Blue'), [[-465, -101]]),
  sandbox('ÖL 77 Ä', 'letters beyond A to Z', car('Škoda', 'Octavia', 2021, 'Grün'), INSURED, COMPLIANT),
  sandbox('A1', 'a short registration', car('Rolls-Royce', 'Phantom', 2018, 'Black'), INSURED, COMPLIANT),
  sandbox('Q 123 ABC', 'age unknown (Q plate)', car('Citroën', '2CV', 1985, 'Red'), INSURED, {
    ...COMPLIANT,
    mot: 'exempt',
  }),
  sandbox('YG05 BOX', 'a van, compliant', car('Ford', 'Transit', 2005, 'White'), INSURED, COMPLIANT),
  sandbox(
    'O0 1I',
    'O and 0, I and 1 are different characters',
    car('Lotus', 'Elise', 2000, 'Yellow'),
    INSURED,
    COMPLIANT,
  ),
  sandbox('ZH10 BUS', 'insured, MOT and tax expired', car('Volvo', 'B9TL', 2010, 'Red'), INSURED, {
    mot: -5,
    tax: -10,
    fines: 0,
  }),
  sandbox(
    'AJ73 YRS',
    'short-term cover that ends tomorrow',
    car('Volkswagen', 'Polo', 2023, 'Blue'),
    [[-6, 1]],
    COMPLIANT,
  ),
  sandbox('BK02 SIX', 'insurance begins in a month, MOT expired', car('Jaguar', 'X-Type', 2002, 'Green'), [[30, 394]], {
    ...COMPLIANT,
    mot: -90,
  }),
];
