/** Only the owner may read files with keys or personal data. The mode applies when a file is created: delete an older one first. */
export const PRIVATE_FILE = { mode: 0o600 };
