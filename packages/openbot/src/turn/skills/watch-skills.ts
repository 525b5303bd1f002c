import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { type SkillFolder, type SkillScan, scanSkillFolders } from './scan-folders.ts';

// Some file systems do not tell of every change, and a folder that does not exist cannot be watched.
const LOOK_EVERY_MS = 5_000;
const MAX_WATCHED = 500;

/** Looks into skill folders only after a change. For processes that run many turns. */
export interface SkillWatch {
  scan(folders: readonly SkillFolder[]): SkillScan;
  close(): void;
}

/** Watching does not keep the process alive. */
export function watchSkills({ lookEveryMs = LOOK_EVERY_MS } = {}): SkillWatch {
  const watchers = new Map<string, FSWatcher>();
  const known = new Map<string, { readonly scan: SkillScan; readonly until: number }>();

  const forget = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const listen = (folder: string) => {
    if (watchers.has(folder) || watchers.size >= MAX_WATCHED) return;
    try {
      const watcher = watch(folder, { persistent: false }, () => {
        known.clear();
        // The folder may have been replaced; the next scan watches the one that is there.
        forget(folder);
      });
      watcher.on('error', () => forget(folder));
      watchers.set(folder, watcher);
    } catch {
      // Looking now and then finds what appears later.
    }
  };

  return {
    scan: (folders) => {
      const key = JSON.stringify(folders);
      const last = known.get(key);
      const now = performance.now();
      if (last !== undefined && now < last.until) return last.scan;
      // Before looking, so that a change right after it is noticed.
      for (const { path } of folders) listen(path);
      const scan = scanSkillFolders(folders);
      for (const { path } of scan.files) listen(dirname(path));
      known.set(key, { scan, until: now + lookEveryMs });
      return scan;
    },
    close: () => {
      for (const folder of [...watchers.keys()]) forget(folder);
      known.clear();
    },
  };
}
