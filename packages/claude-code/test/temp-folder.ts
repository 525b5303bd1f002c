import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterTest } from '../../../test/setup/cleaning.ts';

/** A folder that is gone after the test, by its real path. */
export function makeTempFolder(): string {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'openbot-claude-code-')));
  afterTest(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
