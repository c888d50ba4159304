/** The first letters of every canary: in no other word, and in nothing that is random in hex. */
export const MARKER = 'zqkwvj';

/** Canaries, each with the marker and a number of its own; eight letters and digits or more. */
export const canaryWords = (): (() => string) => {
  let count = 0;
  return () => {
    count += 1;
    return MARKER + count.toString(36).padStart(2, '0');
  };
};
