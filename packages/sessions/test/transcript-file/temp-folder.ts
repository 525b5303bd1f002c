import { readFileSync } from 'node:fs';
import { beforeEach } from 'vitest';
import { makeTempFolder } from '../setup/temp-folder.ts';

/** A fresh folder for each test of the file that calls this. */
export function useTempFolder(): { readonly path: string } {
  const folder = { path: '' };
  beforeEach(() => {
    folder.path = makeTempFolder();
  });
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
