import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';

/** A folder that is gone after the test. */
export function makeTempFolder(within = tmpdir()): string {
  const folder = mkdtempSync(join(realpathSync(within), 'occ-test-'));
  afterTest(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A folder that is gone after the last test of the file. To be called outside of tests. */
export function makeLastingFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'occ-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
