import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RepoSlot, takeRepoSlot } from '../../src/queue/repo-slot.ts';
import { lockSession, resolveRepoLocks } from '../../src/queue/run-locks.ts';
import { listLockedSessions } from '../../src/registry/session-lock.ts';
import { waitFor } from '../run/run-workbench.ts';
import { makeTempFolder } from '../temp-folder.ts';

function makeTaker() {
  const root = makeTempFolder();
  const locks = resolveRepoLocks({ CLAUDE_CONFIG_DIR: root }, join(root, 'repo'));
  const take = (signal = new AbortController().signal, onQueued: () => void = () => {}): Promise<RepoSlot> =>
    takeRepoSlot(locks, { repoPath: join(root, 'repo'), signal, onQueued });
  /** Resolves to the promise of the slot when it is queued. */
  const queue = (signal?: AbortSignal) =>
    new Promise<{ slot: Promise<RepoSlot> }>((resolve, reject) => {
      const slot: Promise<RepoSlot> = take(signal, () => resolve({ slot }));
      slot.catch(reject);
    });
  return { take, queue };
}

test('one has it, one waits, a third is refused, and each end lets the next one in', async () => {
  const { take, queue } = makeTaker();
  const first = await take();
  expect(first.isWanted()).toBe(false);
  const second = await queue();
  expect(first.isWanted()).toBe(true);
  await expect(take()).rejects.toMatchObject({
    code: 'REPO_BUSY',
    message: expect.stringMatching(/one is working .* one is waiting/),
    hint: expect.any(String),
  });
  await first.release();
  const next = await second.slot;
  expect(next.isWanted()).toBe(false);
  const third = await queue();
  await next.release();
  await (await third.slot).release();
  await (await take()).release();
});

test('who waits comes before who comes at the moment of the end', async () => {
  const { take, queue } = makeTaker();
  const order: string[] = [];
  const first = await take();
  const second = await queue();
  await first.release();
  const late = take().then((slot) => {
    order.push('late');
    return slot;
  });
  const slot = await second.slot;
  order.push('second');
  await slot.release();
  await (await late).release();
  expect(order).toEqual(['second', 'late']);
});

test('who stops waiting makes room for another to wait', async () => {
  const { take, queue } = makeTaker();
  const first = await take();
  const stop = new AbortController();
  const second = await queue(stop.signal);
  stop.abort();
  await expect(second.slot).rejects.toMatchObject({ name: 'AbortError' });
  const third = await queue();
  await first.release();
  await (await third.slot).release();
});

test('of many at once one has it, one waits, and all others are refused', async () => {
  const { take } = makeTaker();
  let waiting = 0;
  const attempts = Array.from({ length: 8 }, () =>
    take(undefined, () => {
      waiting += 1;
    }),
  );
  const refusals: string[] = [];
  for (const attempt of attempts) attempt.catch(({ code }: { code: string }) => refusals.push(code));
  const first = await Promise.race(
    attempts.map((attempt) => attempt.catch(() => new Promise<never>(() => {}))),
  );
  await waitFor('six that are refused', () => (refusals.length === 6 ? true : undefined));
  expect(waiting).toBe(1);
  expect(new Set(refusals)).toEqual(new Set(['REPO_BUSY']));
  await first.release();
  const ends = await Promise.allSettled(attempts);
  const slots = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  expect(slots).toHaveLength(2);
  for (const slot of slots) await slot.release();
});

test('if the door lock cannot be released, the slot is not taken, and others can take it', async () => {
  const root = makeTempFolder();
  const [own, door] = [join(root, 'own'), join(root, 'door')];
  for (const folder of [own, door]) mkdirSync(folder);
  const locks = { running: join(own, 'running'), queued: join(own, 'queued'), door: join(door, 'door') };
  const options = { repoPath: root, signal: new AbortController().signal, onQueued: () => {} };
  const failing = {
    ...locks,
    // Looked up while the door is held.
    get running() {
      if (existsSync(door)) {
        renameSync(door, join(root, 'door-before'));
        symlinkSync(door, door);
      }
      return locks.running;
    },
  };
  await expect(takeRepoSlot(failing, options)).rejects.toMatchObject({
    code: 'LOCK_NOT_RELEASED',
    cause: { code: 'ELOOP' },
  });
  expect(existsSync(locks.running)).toBe(false);
  rmSync(door);
  await (await takeRepoSlot(locks, options)).release();
});

test('worktrees of one repository share it, other folders do not', () => {
  const root = makeTempFolder();
  const [repo, tree, other] = ['repo', 'tree', 'other'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [repo, other]) mkdirSync(folder);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: repo, stdio: 'pipe' });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'x');
  git('worktree', 'add', '-q', tree);
  expect(resolveRepoLocks({ CLAUDE_CONFIG_DIR: root }, tree)).toEqual(
    resolveRepoLocks({ CLAUDE_CONFIG_DIR: root }, repo),
  );
  expect(resolveRepoLocks({ CLAUDE_CONFIG_DIR: root }, other)).not.toEqual(
    resolveRepoLocks({ CLAUDE_CONFIG_DIR: root }, repo),
  );
});

test('one process at a time holds a session, and its id names no other file', async () => {
  const root = makeTempFolder();
  const id = '0e9f1f6c-9a0c-4b5e-8f4b-2f4f6f0f9a01';
  const env = { CLAUDE_CONFIG_DIR: root };
  const lock = await lockSession(id, env);
  expect([...listLockedSessions(env)]).toEqual([id]);
  expect([...listLockedSessions({ CLAUDE_CONFIG_DIR: join(root, 'another') })]).toEqual([]);
  await expect(lockSession(id, env)).rejects.toMatchObject({
    code: 'SESSION_BUSY',
    message: expect.stringContaining(id),
  });
  await lock.release();
  expect([...listLockedSessions(env)]).toEqual([]);
  await (await lockSession(id, env)).release();
  await expect(lockSession('../x', env)).rejects.toMatchObject({ code: 'INVALID_SESSION_ID' });
});
