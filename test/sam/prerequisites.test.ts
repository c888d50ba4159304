import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { requireTools } from '../../lib/local/sam/tools.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tools-'));
});
afterEach(() => rm(folder, { recursive: true }));

const EXECUTABLE = 0o755;

const install = async (tool: string, script: string): Promise<void> => {
  const file = join(folder, tool);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, EXECUTABLE);
};

/** What is said where only the tools of the folder are installed. */
const complaint = async (): Promise<string> => {
  try {
    await requireTools({ PATH: folder });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('Before SAM is started', () => {
  it('says all that is missing at once, and how to get it', async () => {
    expect(await complaint()).toMatch(/^SAM CLI is not installed\. Get it .*\nDocker is not installed\. Get it/);
  });

  it('says that an engine must be started', async () => {
    await install('sam', 'exit 0');
    await install('docker', 'echo "Cannot connect to the Docker daemon" >&2; exit 1');
    expect(await complaint()).toMatch(/^Docker is installed, but no engine answers\. Start/);
  });

  it('says that the engine is not for this user', async () => {
    await install('sam', 'exit 0');
    await install('docker', 'echo "permission denied while trying to connect" >&2; exit 1');
    expect(await complaint()).toMatch(/^You may not use Docker\./);
  });

  it('says that SAM CLI is broken', async () => {
    await install('sam', 'exit 1');
    await install('docker', 'exit 0');
    expect(await complaint()).toMatch(/^SAM CLI is installed, but .* Install it again\.$/);
  });

  it('says nothing when everything is there', async () => {
    await install('sam', 'exit 0');
    await install('docker', 'exit 0');
    expect(await complaint()).toBe('');
  });
});
