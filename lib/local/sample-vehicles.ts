/**
 * Vehicles for every outcome that a tester may want to see, dated relative to the day they are loaded.
 * README lists them; a test holds the two together.
 */
import type { ComplianceRecord } from '../../functions/compliance/record.ts';
import { type LondonDate, londonDate } from '../../functions/runtime/clock.ts';
import type { Policy, VehicleRecord } from '../../functions/vehicles/record.ts';
import { normaliseRegistration } from '../../functions/vehicles/registration.ts';

/** Days from today: negative ones have passed. */
type Days = number;

interface SampleCompliance {
  readonly mot: Days | 'exempt';
  readonly tax: Days | 'exempt' | 'sorn';
  readonly fines: number;
}

interface SampleVehicle {
  readonly registration: string;
  /** What the vehicle is there to show. */
  readonly shows: string;
  readonly vehicle: VehicleRecord['vehicle'];
  /** First and last day of each policy. */
  readonly policies: readonly (readonly [from: Days, to: Days])[];
  /** Absent where the vehicle has no compliance record. */
  readonly compliance?: SampleCompliance;
}

const car = (make: string, model: string, year: number, color: string) => ({ make, model, year, color });

/** A policy in force for another half year, and papers in order. */
const INSURED = [[-182, 182]] as const;
const IN_ORDER: SampleCompliance = { mot: 120, tax: 90, fines: 0 };

export const SAMPLE_VEHICLES: readonly SampleVehicle[] = [
  {
    registration: 'AB12 CDE',
    shows: 'insured, compliant',
    vehicle: car('Ford', 'Fiesta', 2012, 'Blue'),
    policies: INSURED,
    compliance: IN_ORDER,
  },
  {
    registration: 'BD51 SMR',
    shows: 'insured until today, included',
    vehicle: car('Vauxhall', 'Corsa', 2001, 'Silver'),
    policies: [[-364, 0]],
    compliance: IN_ORDER,
  },
  {
    registration: 'CE20 NEW',
    shows: 'insured from today, included',
    vehicle: car('MINI', 'Hatch', 2020, 'Red'),
    policies: [[0, 364]],
    compliance: IN_ORDER,
  },
  {
    registration: 'DG65 OLD',
    shows: 'lapsed yesterday',
    vehicle: car('Nissan', 'Qashqai', 2015, 'White'),
    policies: [[-365, -1]],
    compliance: IN_ORDER,
  },
  {
    registration: 'EK14 TWO',
    shows: 'lapsed twice; the later policy answers',
    vehicle: car('Toyota', 'Yaris', 2014, 'Grey'),
    policies: [
      [-900, -536],
      [-500, -136],
    ],
    compliance: IN_ORDER,
  },
  {
    registration: 'FL70 SUN',
    shows: 'insurance begins tomorrow',
    vehicle: car('Kia', 'Niro', 2020, 'Green'),
    policies: [[1, 365]],
    compliance: IN_ORDER,
  },
  {
    registration: 'GM19 REN',
    shows: 'renewal loaded early; the policy in force answers',
    vehicle: car('Honda', 'Civic', 2019, 'Black'),
    policies: [
      [-350, 14],
      [15, 379],
    ],
    compliance: IN_ORDER,
  },
  {
    registration: 'HN16 GAP',
    shows: 'lapsed, next policy not begun: a gap',
    vehicle: car('Mazda', 'CX-5', 2016, 'Red'),
    policies: [
      [-400, -36],
      [30, 394],
    ],
    compliance: IN_ORDER,
  },
  {
    registration: 'JP22 DUO',
    shows: 'two policies in force; the later start answers',
    vehicle: car('BMW', 'i3', 2022, 'Orange'),
    policies: [
      [-200, 164],
      [-20, 344],
    ],
    compliance: IN_ORDER,
  },
  {
    registration: 'KR08 NIL',
    shows: 'known, no policy at all',
    vehicle: car('Peugeot', '208', 2008, 'Yellow'),
    policies: [],
    compliance: IN_ORDER,
  },
  {
    registration: 'LS13 MOT',
    shows: 'MOT expired yesterday',
    vehicle: car('Renault', 'Clio', 2013, 'Blue'),
    policies: INSURED,
    compliance: { ...IN_ORDER, mot: -1 },
  },
  {
    registration: 'MT17 DUE',
    shows: 'MOT due today: still valid',
    vehicle: car('SEAT', 'Ibiza', 2017, 'White'),
    policies: INSURED,
    compliance: { ...IN_ORDER, mot: 0 },
  },
  {
    registration: 'XYZ 999',
    shows: 'historic: exempt from MOT and tax',
    vehicle: car('Morris', 'Minor', 1963, 'Green'),
    policies: INSURED,
    compliance: { mot: 'exempt', tax: 'exempt', fines: 0 },
  },
  {
    registration: 'NV18 TAX',
    shows: 'road tax expired yesterday',
    vehicle: car('Hyundai', 'i20', 2018, 'Silver'),
    policies: INSURED,
    compliance: { ...IN_ORDER, tax: -1 },
  },
  {
    registration: 'OW21 DAY',
    shows: 'road tax paid until today',
    vehicle: car('Dacia', 'Sandero', 2021, 'Brown'),
    policies: INSURED,
    compliance: { ...IN_ORDER, tax: 0 },
  },
  {
    registration: 'PX23 EVS',
    shows: 'electric: exempt from tax',
    vehicle: car('Tesla', 'Model 3', 2023, 'White'),
    policies: INSURED,
    compliance: { ...IN_ORDER, tax: 'exempt' },
  },
  {
    registration: 'RA09 SRN',
    shows: 'declared off the road (SORN)',
    vehicle: car('Land Rover', 'Defender', 2009, 'Green'),
    policies: INSURED,
    compliance: { ...IN_ORDER, tax: 'sorn' },
  },
  {
    registration: 'SB66 FIN',
    shows: 'one unpaid fine',
    vehicle: car('Audi', 'A3', 2016, 'Black'),
    policies: INSURED,
    compliance: { ...IN_ORDER, fines: 1 },
  },
  {
    registration: 'TC11 ALL',
    shows: 'fails all four checks',
    vehicle: car('Fiat', 'Panda', 2011, 'Yellow'),
    policies: [[-800, -436]],
    compliance: { mot: -30, tax: -60, fines: 3 },
  },
  {
    registration: 'UD07 OFF',
    shows: 'no policy, MOT expired, SORN, fines',
    vehicle: car('Rover', '75', 2007, 'Grey'),
    policies: [],
    compliance: { mot: -400, tax: 'sorn', fines: 2 },
  },
  {
    registration: 'VE24 UNK',
    shows: 'insured, no compliance record',
    vehicle: car('Cupra', 'Born', 2024, 'Copper'),
    policies: INSURED,
  },
  {
    registration: 'WF15 LAP',
    shows: 'lapsed, no compliance record',
    vehicle: car('Suzuki', 'Swift', 2015, 'Blue'),
    policies: [[-465, -101]],
  },
  {
    registration: 'ÖL 77 Ä',
    shows: 'letters beyond A to Z',
    vehicle: car('Škoda', 'Octavia', 2021, 'Grün'),
    policies: INSURED,
    compliance: IN_ORDER,
  },
  {
    registration: 'A1',
    shows: 'a short registration',
    vehicle: car('Rolls-Royce', 'Phantom', 2018, 'Black'),
    policies: INSURED,
    compliance: IN_ORDER,
  },
  {
    registration: 'Q 123 ABC',
    shows: 'age unknown (Q plate)',
    vehicle: car('Citroën', '2CV', 1985, 'Red'),
    policies: INSURED,
    compliance: { ...IN_ORDER, mot: 'exempt' },
  },
  {
    registration: 'YG05 BOX',
    shows: 'a van, compliant',
    vehicle: car('Ford', 'Transit', 2005, 'White'),
    policies: INSURED,
    compliance: IN_ORDER,
  },
  {
    registration: 'O0 1I',
    shows: 'O and 0, I and 1 are different characters',
    vehicle: car('Lotus', 'Elise', 2000, 'Yellow'),
    policies: INSURED,
    compliance: IN_ORDER,
  },
  {
    registration: 'ZH10 BUS',
    shows: 'insured, MOT and tax expired',
    vehicle: car('Volvo', 'B9TL', 2010, 'Red'),
    policies: INSURED,
    compliance: { mot: -5, tax: -10, fines: 0 },
  },
  {
    registration: 'AJ73 YRS',
    shows: 'short-term cover that ends tomorrow',
    vehicle: car('Volkswagen', 'Polo', 2023, 'Blue'),
    policies: [[-6, 1]],
    compliance: IN_ORDER,
  },
  {
    registration: 'BK02 SIX',
    shows: 'insurance begins in a month, MOT expired',
    vehicle: car('Jaguar', 'X-Type', 2002, 'Green'),
    policies: [[30, 394]],
    compliance: { ...IN_ORDER, mot: -90 },
  },
];

const DAY_MS = 24 * 60 * 60 * 1_000;
const INSURERS = ['Acme Mutual', 'Northgate Mutual', 'Albion Direct', 'Castle & Crown Insurance'] as const;
const COVER = ['Comprehensive', 'Third Party, Fire and Theft', 'Third Party Only'] as const;

/** Noon is in the same calendar day in London and in UTC, in summer and in winter. */
const dayFrom = (today: LondonDate, days: Days): LondonDate =>
  new Date(Date.parse(`${today}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

const pick = <T>(choices: readonly [T, ...T[]], index: number): T => choices[index % choices.length] ?? choices[0];

const keyOf = ({ registration }: SampleVehicle): string => {
  const key = normaliseRegistration(registration);
  if (key === undefined) throw new Error(`sample vehicle ${registration} has an invalid registration`);
  return key;
};

/** The sample vehicles as records on the day of `now`. */
export const sampleVehicleRecords = (now: Date): VehicleRecord[] => {
  const today = londonDate(now);
  return SAMPLE_VEHICLES.map((sample, index) => ({
    registration: keyOf(sample),
    vehicle: sample.vehicle,
    policies: sample.policies.map(
      ([from, to], nth): Policy => ({
        number: `POL-${String(1_000 + index)}-${nth + 1}`,
        insurer: pick(INSURERS, index + nth),
        validFrom: dayFrom(today, from),
        validTo: dayFrom(today, to),
        type: pick(COVER, index),
      }),
    ),
    lastUpdated: `${dayFrom(today, -1)}T08:30:00.000Z`,
  }));
};

/** Their compliance records on the day of `now`; fewer, since some vehicles have none. */
export const sampleComplianceRecords = (now: Date): ComplianceRecord[] => {
  const today = londonDate(now);
  return SAMPLE_VEHICLES.flatMap((sample) => {
    if (sample.compliance === undefined) return [];
    const { mot, tax, fines } = sample.compliance;
    return [
      {
        registration: keyOf(sample),
        mot: mot === 'exempt' ? { exempt: true } : { dueDate: dayFrom(today, mot) },
        roadTax: roadTaxOf(today, tax),
        outstandingFines: fines,
      },
    ];
  });
};

const roadTaxOf = (today: LondonDate, tax: SampleCompliance['tax']): ComplianceRecord['roadTax'] => {
  if (tax === 'exempt') return { exempt: true };
  return tax === 'sorn' ? { sorn: true } : { paidUntil: dayFrom(today, tax) };
};
