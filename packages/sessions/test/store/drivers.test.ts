import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionEntry } from '../../src/entry/session-entry.ts';
import { openFileSessionStore } from '../../src/store/file-store.ts';
import { openMemorySessionStore } from '../../src/store/memory-store.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { describeStoreContract } from './contract.ts';

const newPath = () => join(makeTempFolder(), 'agents', 'main', 'sessions', 'sessions.json');

function writeStore(values: Record<string, unknown>): string {
  const path = join(makeTempFolder(), 'sessions.json');
  writeFileSync(path, JSON.stringify(values, null, 2));
  return path;
}

describeStoreContract({
  name: 'file',
  open: () => openFileSessionStore(newPath()),
  openWith: (values) => openFileSessionStore(writeStore(values)),
});

describeStoreContract({
  name: 'uncached file',
  open: () => openFileSessionStore(newPath(), { cacheTtlMs: 0 }),
  openWith: (values) => openFileSessionStore(writeStore(values), { cacheTtlMs: 0 }),
});

describeStoreContract({
  name: 'memory',
  open: () => openMemorySessionStore(),
  openWith: (values) => openMemorySessionStore(values as Record<string, SessionEntry>),
});
