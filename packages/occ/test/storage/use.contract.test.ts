/** What edit, restore and the worker expect of every storage about sessions in use. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CleanPlan } from '../../src/clean/plan.ts';
import { resolveSession } from '../../src/finding/resolve-session.ts';
import { STORAGES } from '../../src/storage/all.ts';
import type { StorageName } from '../../src/storage/contract/found-session.ts';
import type { Caller, OwnRun, UseFlags } from '../../src/storage/contract/use.ts';
import { putDatabase } from '../finding/database.ts';
import { header, makeHome, put, scopeAt, sessionsFolder, setAge, uuid } from '../finding/home.ts';
import { startChild } from '../setup/start-child.ts';

const HOLD_LOCK = new URL('../in-use/children/hold-lock.mjs', import.meta.url);
const ID = uuid('7');
const BY_COMMAND: Caller = { foundBy: 'calling-command', env: {} };

interface UseCase {
  /** Puts one idle session into a home folder. Returns the path of its transcript as a file. */
  put(home: string): string;
  /** The caller when the session's own run calls occ. */
  readonly ownCaller: Caller;
  readonly ownRun: OwnRun;
  /** What a rewrite may do while a process holds the lock of the transcript. */
  readonly whileLocked: 'refused' | 'allowed';
}

function putFile(path: string, text: string): string {
  setAge(put(path, text), 0);
  return path;
}

const CASES: Readonly<Record<StorageName, UseCase>> = {
  'openclaw-files': {
    put: (home) => putFile(join(sessionsFolder(home), `${ID}.jsonl`), header(ID, '/work')),
    ownCaller: BY_COMMAND,
    ownRun: 'aborts',
    whileLocked: 'refused',
  },
  'openclaw-sqlite': {
    put(home) {
      putDatabase(home, [{ sessionId: ID, key: 'agent:main:main', cwd: '/work' }]);
      return put(join(sessionsFolder(home), 'other.jsonl'), header(uuid('8'), '/work'));
    },
    ownCaller: BY_COMMAND,
    ownRun: 'survives',
    whileLocked: 'allowed',
  },
  pi: {
    put: (home) =>
      putFile(
        join(home, '.pi/agent/sessions/--work--', `2026-01-01T00-00-00-000Z_${ID}.jsonl`),
        header(ID, '/work'),
      ),
    ownCaller: BY_COMMAND,
    ownRun: 'survives',
    whileLocked: 'refused',
  },
  claude: {
    put: (home) =>
      putFile(
        join(home, '.claude/projects/-work', `${ID}.jsonl`),
        `${JSON.stringify({ type: 'user', uuid: 'u1', sessionId: ID, cwd: '/work' })}\n`,
      ),
    ownCaller: { foundBy: 'environment', env: { CLAUDE_CODE_SESSION_ID: ID } },
    ownRun: 'survives',
    whileLocked: 'refused',
  },
};

describe.each(STORAGES.map((storage) => [storage.name, storage] as const))('%s', (name, storage) => {
  const { ownCaller, ownRun, whileLocked, ...one } = CASES[name];

  async function open() {
    const home = makeHome();
    const path = one.put(home);
    const { session } = await resolveSession(scopeAt(home, { source: storage.source }), ID);
    const use = await storage.use();
    const settle = (flags: Partial<UseFlags> = {}) =>
      use.settle(session, { ownRun: 'no', env: {}, flags: { canSchedule: true, ...flags } });
    return { path, session, use, settle };
  }

  test('knows whether its own run calls', async () => {
    const { session, use } = await open();
    expect(use.ownRun(session, ownCaller)).toBe(ownRun);
    for (const foundBy of ['argument', 'most-recent'] as const)
      expect(use.ownRun(session, { foundBy, env: { CLAUDE_CODE_SESSION_ID: uuid('9') } })).toBe('no');
  });

  test('an idle session may be rewritten, and nothing is left to say', async () => {
    const { settle } = await open();
    const settled = await settle({ whenIdle: true });
    if (settled.act !== 'go') throw new Error(settled.note);
    expect(settled.isInRun).toBe(false);
    expect(settled.afterRestore()).toBeUndefined();
    expect(await settled.afterEdit({ plan: {} as CleanPlan })).toBeUndefined();
  });

  test(`while the lock of its transcript is held: ${whileLocked}`, async () => {
    const { path, settle } = await open();
    const holder = startChild(HOLD_LOCK, [path]);
    await holder.said('held');
    if (whileLocked === 'allowed') {
      expect(await settle({ whenIdle: true })).toMatchObject({ act: 'go' });
      return;
    }
    for (const flags of [{}, { force: true }, { whenIdle: true, canSchedule: false }])
      await expect(settle(flags)).rejects.toMatchObject({ code: 'SESSION_IN_USE' });
    expect(await settle({ whenIdle: true })).toMatchObject({
      act: 'schedule',
      note: expect.stringContaining(`${holder.pid}`),
    });
    holder.tell('release');
    expect(await settle({ waitMs: 60_000 })).toMatchObject({ act: 'go' });
  });
});
