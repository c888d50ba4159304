/** Files with personal data are for their owner only. The mode counts when a file is made: remove an older one first. */
export const PRIVATE_FILE = { mode: 0o600 };
