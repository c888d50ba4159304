/** A summer noon: in London it is 13:00, and the window ends in 50 s. */
export const NOON = Date.parse('2026-06-15T12:00:10.000Z');
