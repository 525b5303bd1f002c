import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { cleanEnvironment, OCC_LAUNCHER } from '../setup/run-occ.ts';
import {
  backupFolderOf,
  copyHome,
  type Home,
  listLeftovers,
  occ,
  readBackups,
  readEntries,
  readPairs,
  readTexts,
  SESSION_ID,
  talk,
} from './homes.ts';

/** A command that is killed, on copies of one furnished home. */
export interface Operation {
  readonly name: string;
  readonly args: readonly string[];
  readonly home: Home;
  /** What the session holds before, and after a run that nobody disturbed. */
  readonly before: Buffer;
  readonly after: Buffer;
}

const PRELOAD = pathToFileURL(join(import.meta.dirname, '..', 'setup', 'faults-preload.mjs')).href;

/** Runs the command once undisturbed, in a copy. */
export async function prepare(
  name: string,
  home: Home,
  args: readonly string[],
  scratch: string,
): Promise<Operation> {
  const before = readFileSync(home.path);
  const copy = copyHome(home, scratch);
  await occ(copy, args);
  const after = readFileSync(copy.path);
  rmSync(scratch, { recursive: true });
  return { name, args, home, before, after };
}

function start(home: Home, args: readonly string[], fault?: object): ChildProcess {
  const nodeArgs = fault === undefined ? [] : ['--import', PRELOAD];
  const [command, ...flags] = args;
  return spawn(
    process.execPath,
    [...nodeArgs, OCC_LAUNCHER, command!, home.path, ...flags, '--source', home.source, '--json'],
    {
      cwd: home.folder,
      env: cleanEnvironment({
        ...home.env,
        ...(fault === undefined ? {} : { FAULTS: JSON.stringify(fault) }),
      }),
      stdio: 'ignore',
    },
  );
}

/** The calls to the disk that the command makes, in order. */
export async function listCalls(operation: Operation, scratch: string): Promise<string[]> {
  const copy = copyHome(operation.home, scratch);
  const log = join(scratch, 'calls.json');
  const [code] = await once(start(copy, operation.args, { log, under: scratch }), 'close');
  expect(code).toBe(0);
  const calls = JSON.parse(readFileSync(log, 'utf8')) as string[];
  rmSync(scratch, { recursive: true });
  return calls;
}

/** Kills the command at one of its calls, then looks at what is left. */
export async function killAtCall(
  operation: Operation,
  at: number,
  strike: 'kill-before' | 'kill-half' | 'kill-after',
  scratch: string,
): Promise<void> {
  const copy = copyHome(operation.home, scratch);
  const [code, signal] = await once(start(copy, operation.args, { at, strike, under: scratch }), 'close');
  expect([code, signal], `${operation.name} at call ${at}`).toEqual([null, 'SIGKILL']);
  await checkRemains(operation, copy, `${operation.name}, ${strike} call ${at}`);
}

/** Signals the command at one of its calls: it cleans up at once. */
export async function signalAtCall(
  operation: Operation,
  at: number,
  signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP',
  scratch: string,
): Promise<void> {
  const copy = copyHome(operation.home, scratch);
  const when = `${operation.name}, ${signal} at call ${at}`;
  const end = await once(start(copy, operation.args, { at, strike: signal, under: scratch }), 'close');
  // At its last calls it may be through before it hears of it.
  expect([0, signal], when).toContain(end[0] ?? end[1]);
  checkNothingLeft(operation, copy, when);
  await checkRemains(operation, copy, when);
}

/** Without any further command: no lock, no temp file, no backup of a rewrite that was not. */
function checkNothingLeft({ home, before }: Operation, copy: Home, when: string): void {
  expect(listLeftovers(copy), when).toEqual([]);
  const isSwapped = !readFileSync(copy.path).equals(before);
  const made = [...readBackups(copy).keys()].filter((name) => !readBackups(home).has(name));
  expect(made.length, `${when}: ${made}`).toBe(isSwapped ? 1 : 0);
  const clones = readdirSync(dirname(copy.path)).filter((name) => /^[\w-]{36}\.jsonl$/.test(name));
  const index = join(dirname(copy.path), 'sessions.json');
  if (home.source !== 'openclaw') return;
  const named = readFileSync(index, 'utf8');
  for (const clone of clones) expect(named, `${when}: ${clone} is in no index`).toContain(clone.slice(0, 36));
}

/** Kills the command some time after it began to write. False when it was through by then. */
export async function killAfter(operation: Operation, delayMs: number, scratch: string): Promise<boolean> {
  const copy = copyHome(operation.home, scratch);
  const folder = dirname(copy.path);
  const names = readdirSync(folder).length;
  const child = start(copy, operation.args);
  const closed = once(child, 'close');
  while (child.exitCode === null && readdirSync(folder).length === names) await sleep(0.5);
  if (delayMs > 0) await sleep(delayMs);
  child.kill('SIGKILL');
  const [, signal] = await closed;
  await checkRemains(operation, copy, `${operation.name}, ${delayMs} ms after its first write`);
  return signal === 'SIGKILL';
}

/** The session is the old one or the new one, whole; backups are as they were; and life goes on. */
async function checkRemains(
  { home, before, after, args }: Operation,
  copy: Home,
  when: string,
): Promise<void> {
  const session = readFileSync(copy.path);
  expect(
    session.equals(before) || session.equals(after),
    `${when}: neither the old nor the new session`,
  ).toBe(true);
  const texts = readTexts(copy.path);
  expect(texts, when).toEqual(readTexts(home.path));
  const isSwapped = !session.equals(before);
  checkBackups(home, copy, [before], when);
  const isKept = [...readBackups(copy).values()].some((bytes) => bytes.equals(before));
  expect(isKept || !isSwapped, `${when}: no backup of what the session was`).toBe(true);

  talk(copy, 'after the kill');
  const listed = (await occ(copy, ['list'])).output as Listed[];
  const clones = listed.filter(({ sessionId }) => sessionId !== SESSION_ID);
  const unnamed = clones.filter(({ sessionKey }) => sessionKey === undefined);
  if (home.source === 'openclaw') expect(unnamed, `${when}: a clone without an entry`).toEqual([]);
  expect(listed.length - clones.length, when).toBe(1);
  expect(clones.length, when).toBeLessThanOrEqual(args[0] === 'clone' ? 1 : 0);
  for (const clone of clones) checkClone(clone, texts, when);

  const asItWas = readFileSync(copy.path);
  const { output } = await occ(copy, ['edit', '--strip-tools=extreme']);
  expect(output, when).toMatchObject({ changed: true, sessionId: SESSION_ID });
  const { backupPath } = output as { backupPath: string };
  expect(
    readFileSync(backupPath).equals(asItWas),
    `${when}: the next backup is not what the session was`,
  ).toBe(true);
  expect(readTexts(copy.path), when).toEqual([...texts, 'Question after the kill', 'Answer after the kill']);
  expect(readPairs(copy.path), when).toEqual({ calls: [], results: [] });
  readEntries(copy.path);
  checkBackups(home, copy, [before, asItWas], when);
  expect(readBackups(copy).size, when).toBe(readBackups(home).size + (isSwapped ? 2 : 1));
  expect(listLeftovers(copy), when).toEqual([]);
  rmSync(copy.folder, { recursive: true });
}

/** Those from before have kept their bytes; a new one is a state that the session was in. */
function checkBackups(home: Home, copy: Home, states: readonly Buffer[], when: string): void {
  const old = readBackups(home);
  const now = readBackups(copy);
  for (const [name, bytes] of old) {
    expect(now.get(name)?.equals(bytes), `${when}: ${name} changed`).toBe(true);
  }
  for (const [name, bytes] of now) {
    if (old.has(name)) continue;
    const isState = states.some((state) => state.equals(bytes));
    expect(isState || isSession(copy, name), `${when}: ${name} is no state of the session`).toBe(true);
  }
}

/** The second name of a file that is still the session, left by an edit that came no further. */
function isSession(home: Home, name: string): boolean {
  return statSync(join(backupFolderOf(home), name)).ino === statSync(home.path).ino;
}

interface Listed {
  readonly sessionId: string;
  readonly sessionKey?: string;
  readonly path: string;
  readonly missing?: true;
}

function checkClone(clone: Listed, texts: string[], when: string): void {
  expect(clone.missing, when).toBeUndefined();
  expect(basename(clone.path), when).toContain(clone.sessionId);
  readEntries(clone.path);
  expect(readTexts(clone.path), when).toEqual(texts);
  const { calls, results } = readPairs(clone.path);
  expect(calls, when).toEqual(results);
}
