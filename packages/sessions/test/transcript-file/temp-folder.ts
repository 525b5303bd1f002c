import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** A fresh folder for each test of the file that calls this. */
export function useTempFolder(): { readonly path: string } {
  const folder = { path: '' };
  beforeEach(() => {
    folder.path = mkdtempSync(join(tmpdir(), 'openbot-transcript-'));
  });
  afterEach(() => rmSync(folder.path, { recursive: true, force: true }));
  return folder;
}

export type StoredEntry = Record<string, unknown> & { type: string; id?: string; parentId?: string | null };

/** Every line that is JSON, the header included. */
export function readEntries(path: string): StoredEntry[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as StoredEntry];
      } catch {
        return [];
      }
    });
}
