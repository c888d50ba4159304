/** The sandbox vehicles as records on a day. A record is made when it is asked for, so that a cold start makes none. */
import type { ComplianceRecord } from '../compliance/compliance-record.ts';
import { dayAfter, type LondonDate } from '../runtime/clock.ts';
import { type RegistrationKey, requireRegistration } from '../vehicles/registration.ts';
import type { Policy, VehicleRecord } from '../vehicles/vehicle-record.ts';

/** Days from today; negative for the past. */
type Days = number;

type PolicyDays = readonly [from: Days, to: Days];

interface SandboxCompliance {
  readonly mot: Days | 'exempt' | 'unknown';
  readonly tax: Days | 'exempt' | 'sorn' | 'unknown';
  readonly fines: number | 'unknown';
}

const COMPLIANT: SandboxCompliance = { mot: 120, tax: 90, fines: 0 };
const NO_RECORD = undefined;
/** A policy that began half a year ago and ends in half a year. */
const INSURED: PolicyDays = [-182, 182];

/** @param compliance what differs from a compliant record; undefined for a vehicle without a record */
const sandbox = (
  registration: string,
  [make, model, year, color]: readonly [make: string, model: string, year: number, color: string],
  compliance: Partial<SandboxCompliance> | undefined,
  ...policies: PolicyDays[]
) => ({
  registration,
  vehicle: { make, model, year, color },
  compliance: compliance && { ...COMPLIANT, ...compliance },
  policies,
});

type SandboxVehicle = ReturnType<typeof sandbox>;

/**
 * Every sandbox vehicle: an example of every outcome. docs/sample-data.md lists them; a test compares the two. The
 * place in the list decides policy numbers, insurer and cover: add at the end.
 */
export const SANDBOX_VEHICLES: readonly SandboxVehicle[] = [
  sandbox('AB12 CDE', ['Ford', 'Fiesta', 2012, 'Blue'], COMPLIANT, INSURED),
  sandbox('BD51 SMR', ['Vauxhall', 'Corsa', 2001, 'Silver'], COMPLIANT, [-364, 0]),
  sandbox('CE20 NEW', ['MINI', 'Hatch', 2020, 'Red'], COMPLIANT, [0, 364]),
  sandbox('DG65 OLD', ['Nissan', 'Qashqai', 2015, 'White'], COMPLIANT, [-365, -1]),
  sandbox('EK14 TWO', ['Toyota', 'Yaris', 2014, 'Grey'], COMPLIANT, [-900, -536], [-500, -136]),
  sandbox('FL70 SUN', ['Kia', 'Niro', 2020, 'Green'], COMPLIANT, [1, 365]),
  sandbox('GM19 REN', ['Honda', 'Civic', 2019, 'Black'], COMPLIANT, [-350, 14], [15, 379]),
  sandbox('HN16 GAP', ['Mazda', 'CX-5', 2016, 'Red'], COMPLIANT, [-400, -36], [30, 394]),
  sandbox('JP22 DUO', ['BMW', 'i3', 2022, 'Orange'], COMPLIANT, [-200, 164], [-20, 344]),
  sandbox('KR08 NIL', ['Peugeot', '208', 2008, 'Yellow'], COMPLIANT),
  sandbox('LS13 MOT', ['Renault', 'Clio', 2013, 'Blue'], { mot: -1 }, INSURED),
  sandbox('MT17 DUE', ['SEAT', 'Ibiza', 2017, 'White'], { mot: 0 }, INSURED),
  sandbox('XYZ 999', ['Morris', 'Minor', 1963, 'Green'], { mot: 'exempt', tax: 'exempt', fines: 0 }, INSURED),
  sandbox('NV18 TAX', ['Hyundai', 'i20', 2018, 'Silver'], { tax: -1 }, INSURED),
  sandbox('OW21 DAY', ['Dacia', 'Sandero', 2021, 'Brown'], { tax: 0 }, INSURED),
  sandbox('PX23 EVS', ['Tesla', 'Model 3', 2023, 'White'], { tax: 'exempt' }, INSURED),
  sandbox('RA09 SRN', ['Land Rover', 'Defender', 2009, 'Green'], { tax: 'sorn' }, INSURED),
  sandbox('SB66 FIN', ['Audi', 'A3', 2016, 'Black'], { fines: 1 }, INSURED),
  sandbox('TC11 ALL', ['Fiat', 'Panda', 2011, 'Yellow'], { mot: -30, tax: -60, fines: 3 }, [-800, -436]),
  sandbox('UD07 OFF', ['Rover', '75', 2007, 'Grey'], { mot: -400, tax: 'sorn', fines: 2 }),
  sandbox('VE24 UNK', ['Cupra', 'Born', 2024, 'Copper'], NO_RECORD, INSURED),
  sandbox('WF15 LAP', ['Suzuki', 'Swift', 2015, 'Blue'], NO_RECORD, [-465, -101]),
  sandbox('ÖL 77 Ä', ['Škoda', 'Octavia', 2021, 'Grün'], COMPLIANT, INSURED),
  sandbox('A1', ['Rolls-Royce', 'Phantom', 2018, 'Black'], COMPLIANT, INSURED),
  sandbox('Q 123 ABC', ['Citroën', '2CV', 1985, 'Red'], { mot: 'exempt' }, INSURED),
  sandbox('YG05 BOX', ['Ford', 'Transit', 2005, 'White'], COMPLIANT, INSURED),
  sandbox('O0 1I', ['Lotus', 'Elise', 2000, 'Yellow'], COMPLIANT, INSURED),
  sandbox('ZH10 BUS', ['Volvo', 'B9TL', 2010, 'Red'], { mot: -5, tax: -10, fines: 0 }, INSURED),
  sandbox('AJ73 YRS', ['Volkswagen', 'Polo', 2023, 'Blue'], COMPLIANT, [-6, 1]),
  sandbox('BK02 SIX', ['Jaguar', 'X-Type', 2002, 'Green'], { mot: -90 }, [30, 394]),
  sandbox('CR17 NOM', ['Alfa Romeo', 'Giulia', 2017, 'Red'], { mot: 'unknown' }, INSURED),
  sandbox('DV64 NTF', ['Subaru', 'Forester', 2014, 'Green'], { tax: 'unknown', fines: 'unknown' }, INSURED),
];

const INSURERS = ['Acme Mutual', 'Northgate Mutual', 'Albion Direct', 'Castle & Crown Insurance'] as const;
const COVER = ['Comprehensive', 'Third Party, Fire and Theft', 'Third Party Only'] as const;

const pick = <T>(choices: readonly [T, ...T[]], index: number): T => choices[index % choices.length] ?? choices[0];

let listed: ReadonlyMap<RegistrationKey, { readonly vehicle: SandboxVehicle; readonly place: number }> | undefined;

const byRegistration = () => {
  listed ??= new Map(
    SANDBOX_VEHICLES.map((vehicle, place) => [requireRegistration(vehicle.registration), { vehicle, place }]),
  );
  return listed;
};

export const sandboxRegistrations = (): RegistrationKey[] => [...byRegistration().keys()];

/** Sandbox records were last changed yesterday, or so many days ago. */
const lastUpdatedOn = (today: LondonDate, days = 1): string => `${dayAfter(today, -days)}T08:30:00.000Z`;

export const sandboxVehicle = (registration: RegistrationKey, today: LondonDate): VehicleRecord | undefined => {
  const sandbox = byRegistration().get(registration);
  if (sandbox === undefined) return undefined;
  const { place, vehicle } = sandbox;
  return {
    registration,
    vehicle: vehicle.vehicle,
    policies: vehicle.policies.map(
      ([from, to], nth): Policy => ({
        number: `POL-${1_000 + place}-${nth + 1}`,
        insurer: pick(INSURERS, place + nth),
        validFrom: dayAfter(today, from),
        validTo: dayAfter(today, to),
        type: pick(COVER, place),
      }),
    ),
    lastUpdated: lastUpdatedOn(today),
  };
};

const motPart = (today: LondonDate, mot: Days | 'exempt'): NonNullable<ComplianceRecord['mot']> =>
  mot === 'exempt' ? { exempt: true } : { dueDate: dayAfter(today, mot) };

const roadTaxPart = (today: LondonDate, tax: Days | 'exempt' | 'sorn'): NonNullable<ComplianceRecord['roadTax']> => {
  if (tax === 'exempt') return { exempt: true };
  return tax === 'sorn' ? { sorn: true } : { paidUntil: dayAfter(today, tax) };
};

export const sandboxCompliance = (registration: RegistrationKey, today: LondonDate): ComplianceRecord | undefined => {
  const compliance = byRegistration().get(registration)?.vehicle.compliance;
  if (compliance === undefined) return undefined;
  const { mot, tax, fines } = compliance;
  // As from three files of different days.
  return {
    registration,
    ...(mot !== 'unknown' && { mot: { ...motPart(today, mot), lastUpdated: lastUpdatedOn(today, 1) } }),
    ...(tax !== 'unknown' && { roadTax: { ...roadTaxPart(today, tax), lastUpdated: lastUpdatedOn(today, 5) } }),
    ...(fines !== 'unknown' && { fines: { outstanding: fines, lastUpdated: lastUpdatedOn(today, 2) } }),
  };
};
