import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';

const folders: string[] = [];

/** A folder that is gone after the test, by its real path. */
export function makeTempFolder(): string {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'openbot-claude-code-')));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
