/** `Valid From`, `VALID_FROM` and `validFrom` are the same name. */
export const nameKey = (name: string): string => name.replace(/[\s_.-]/g, '').toLowerCase();

/** Usual names of a column of registrations other than `registration`. */
export const REGISTRATION_NAMES = [
  ...['registration no', 'registration number', 'registration mark', 'reg', 'reg no', 'reg number', 'vrm', 'vrn'],
  ...['vehicle registration', 'vehicle registration number', 'vehicle registration mark', 'vehicle reg'],
  ...['plate', 'number plate', 'licence plate', 'license plate'],
];
