import { rm } from 'node:fs/promises';

export default async (): Promise<void> => {
  const folder = process.env.CLIENT_INSTALLED_IN;
  if (folder) await rm(folder, { recursive: true, force: true });
};
