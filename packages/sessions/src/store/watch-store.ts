import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { callListener, type ListenerKind } from '../listeners.ts';
import type { StoreChange } from './contract.ts';
import { EMPTY_DOCUMENT, type StoreDocument } from './document.ts';

// Some file systems do not tell of changes made on other hosts: then looking now and then is all there is.
const LOOK_EVERY_MS = 1_000;

/**
 * Reports the difference whenever `load` returns another document. The system's notices make it prompt; looking at
 * intervals makes it certain. Neither keeps the process alive. `names` are the files in the folder whose changes count.
 */
export function watchStore(
  path: string,
  load: () => StoreDocument,
  listener: (change: StoreChange) => void,
  onError: (error: unknown) => void = () => {},
  names: readonly string[] = [basename(path)],
): () => void {
  let known = EMPTY_DOCUMENT;
  let failed: string | undefined;
  let watcher: FSWatcher | undefined;
  let soon: NodeJS.Immediate | undefined;

  const look = (): StoreDocument | undefined => {
    try {
      const document = load();
      failed = undefined;
      return document;
    } catch (error) {
      const isNew = failed !== String(error);
      failed = String(error);
      if (isNew) callListener(onError, error, STORE_LISTENERS);
      return undefined;
    }
  };
  const check = () => {
    const document = look();
    if (document === undefined || document === known) return;
    const change = compareDocuments(known, document);
    known = document;
    if (change.updated.length > 0 || change.deleted.length > 0)
      callListener(listener, change, STORE_LISTENERS);
  };
  const checkSoon = () => {
    soon ??= setImmediate(() => {
      soon = undefined;
      check();
    }).unref();
  };
  const listen = () => {
    try {
      watcher = watch(dirname(path), { persistent: false }, (_, name) => {
        if (name === null || names.includes(name)) checkSoon();
      });
      watcher.on('error', () => {
        watcher?.close();
        watcher = undefined;
      });
    } catch {
      // The folder may not exist yet.
      watcher = undefined;
    }
  };

  known = look() ?? known;
  listen();
  const timer = setInterval(() => {
    if (watcher === undefined) listen();
    check();
  }, LOOK_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    if (soon) clearImmediate(soon);
    watcher?.close();
  };
}

function compareDocuments(before: StoreDocument, after: StoreDocument): StoreChange {
  const updated: string[] = [];
  for (const [key, at] of after.index) {
    const was = before.index.get(key);
    if (was === undefined || !isSameMember(before, was, after, at)) updated.push(key);
  }
  return { updated, deleted: [...before.index.keys()].filter((key) => !after.index.has(key)) };
}

function isSameMember(a: StoreDocument, atA: number, b: StoreDocument, atB: number): boolean {
  const one = a.members[atA]!;
  const other = b.members[atB]!;
  if (one === other) return true;
  const text = a.bytes.subarray(a.starts[atA], a.ends[atA]);
  return (
    text.equals(b.bytes.subarray(b.starts[atB], b.ends[atB])) ||
    JSON.stringify(one.value) === JSON.stringify(other.value)
  );
}

/** Those who watch a store, whichever driver keeps it. */
export const STORE_LISTENERS: ListenerKind = {
  of: 'of a session store',
  warningCode: 'OPENBOT_STORE_LISTENER',
};
