/** `Valid From`, `VALID_FROM` and `validFrom` are the same name. */
export const nameKey = (name: string): string => name.replace(/[\s_.-]/g, '').toLowerCase();

/** Usual names of a column of registrations other than `registration`. */
export const REGISTRATION_NAMES = [
  ...['registration no', 'registration number', 'registration mark', 'registration plate'],
  ...['reg', 'reg no', 'reg nr', 'reg number', 'reg mark', 'reg plate', 'vrm', 'vrn'],
  ...['vehicle registration', 'vehicle registration no', 'vehicle registration number', 'vehicle registration mark'],
  ...['vehicle reg', 'vehicle reg no', 'vehicle reg number', 'index no', 'index number', 'index mark'],
  ...['plate', 'plate no', 'plate number', 'number plate'],
  ...['licence', 'license'].flatMap((word) => [`${word} plate`, `${word} plate no`, `${word} plate number`]),
  ...['kennzeichen', 'amtl kennzeichen', 'amtliches kennzeichen', 'kfz kennzeichen'],
  ...['immatriculation', 'matrícula', 'targa', 'kenteken', 'numer rejestracyjny', 'nr rejestracyjny'],
];

/** The names that columns usually have, by the name of the field. */
export const COLUMN_NAMES: Readonly<Record<string, readonly string[]>> = {
  registration: REGISTRATION_NAMES,
  make: ['vehicle make', 'manufacturer'],
  model: ['vehicle model'],
  year: ['year of manufacture', 'manufacture year', 'model year', 'vehicle year'],
  color: ['colour', 'vehicle colour', 'vehicle color'],
  policy_number: ['policy', 'policy no', 'policy ref', 'policy reference'],
  insurer: ['insurer name', 'insurance company'],
  valid_from: ['start', 'start date', 'policy start', 'policy start date', 'cover from', 'cover start'],
  valid_to: [
    ...['end', 'end date', 'policy end', 'policy end date', 'expiry date', 'policy expiry', 'cover to', 'cover end'],
  ],
  policy_type: ['cover', 'cover type', 'type of cover'],
  last_updated: ['last update', 'updated', 'updated at', 'last modified'],
  mot_due: ['mot due date', 'mot expiry', 'mot expiry date', 'mot valid to'],
  tax_paid_until: ['tax valid to', 'tax expiry', 'tax expiry date', 'road tax paid until', 'taxed until'],
  outstanding_fines: ['fines', 'unpaid fines'],
  content: ['body'],
  meta_description: ['description'],
};

const FIELDS = new Map(
  Object.entries(COLUMN_NAMES).flatMap(([field, names]) => [field, ...names].map((name) => [nameKey(name), field])),
);

/** The field that a column of this name usually has. */
export const usualField = (name: string): string | undefined => FIELDS.get(nameKey(name));
