import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { SessionStore, StoreChange } from '../../src/store/contract.ts';
import { openFileSessionStore } from '../../src/store/file-store.ts';
import { startChild } from '../setup/child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let folder: string;
let path: string;
let store: SessionStore;
beforeEach(() => {
  folder = join(makeTempFolder(), 'sessions');
  path = join(folder, 'sessions.json');
  store = openFileSessionStore(path);
});
afterEach(() => store.close());

function replace(content: string): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

const textOf = (...ids: string[]) =>
  JSON.stringify(Object.fromEntries(ids.map((id) => [id, { sessionId: id, updatedAt: 1 }])));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

test('reports changes by another process', async () => {
  mkdirSync(folder);
  writeFileSync(path, textOf('a', 'b'));
  const changes: StoreChange[] = [];
  store.watch((change) => changes.push(change));
  const child = startChild(new URL('./children/count-up.ts', import.meta.url), [
    path,
    'b',
    join(folder, 'j'),
    '2',
  ]);
  expect(await child.ended).toBe(0);
  await until(() => changes.length > 0);
  expect(new Set(changes.flatMap(({ updated }) => updated))).toEqual(new Set(['b']));
});

test('watches a store that does not exist yet, nor its folder', async () => {
  const seen: string[] = [];
  store.watch(({ updated }) => seen.push(...updated));
  mkdirSync(folder);
  replace(textOf('a'));
  await until(() => seen.includes('a'));
});

test('reports a damaged store once, and continues when it is repaired', async () => {
  mkdirSync(folder);
  writeFileSync(path, textOf('a'));
  const seen: string[] = [];
  const errors: unknown[] = [];
  store.watch(
    ({ updated, deleted }) =>
      seen.push(...updated.map((key) => `+${key}`), ...deleted.map((key) => `-${key}`)),
    (error) => errors.push(error),
  );
  replace('{"a":');
  await until(() => errors.length > 0);
  await sleep(1_200);
  expect(errors).toEqual([expect.objectContaining({ code: 'STORE_PARSE_FAILED' })]);
  expect(seen).toEqual([]);
  replace(textOf('a', 'c'));
  await until(() => seen.length > 0);
  expect(seen).toEqual(['+c']);
  rmSync(path);
  await until(() => seen.length > 1);
  expect(seen.slice(1).toSorted()).toEqual(['-a', '-c']);
});

test('a listener that throws on a damaged store is called for the next one too', async () => {
  mkdirSync(folder);
  writeFileSync(path, textOf('a'));
  const warned: string[] = [];
  const note = ({ message }: Error) => warned.push(message);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const codes: string[] = [];
  store.watch(
    () => {},
    (error) => {
      codes.push((error as { code: string }).code);
      throw new Error('made by the listener');
    },
  );
  replace('{"a":');
  await until(() => codes.length === 1);
  replace('[]');
  await until(() => codes.length === 2 && warned.length === 2);
  expect(codes).toEqual(['STORE_PARSE_FAILED', 'STORE_NOT_AN_OBJECT']);
});

test('does not keep the process alive', async () => {
  mkdirSync(folder);
  const module = new URL('../../src/store/file-store.ts', import.meta.url).href;
  const script = join(folder, 'watch-only.ts');
  writeFileSync(
    script,
    `import { openFileSessionStore } from ${JSON.stringify(module)};
     openFileSessionStore(${JSON.stringify(path)}).watch(() => {});`,
  );
  expect(await startChild(new URL(`file://${script}`), []).ended).toBe(0);
});
