import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterTest } from '../../../../test/setup/cleaning.ts';

/** A folder that is gone after the test. */
export function makeTempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'openbot-'));
  afterTest(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
