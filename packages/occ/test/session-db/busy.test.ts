/** Others write to the database while it is edited. */
import { existsSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { HUNT, LONG, tries } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { BUILT_IN_PRESETS } from '../../src/clean/presets.ts';
import { editSession } from '../../src/rewrite/edit-session.ts';
import { storageOf } from '../../src/storage/all.ts';
import type { FoundSession } from '../../src/storage/contract/found-session.ts';
import type { HeldSession } from '../../src/storage/contract/rewriting.ts';
import { takeFileSnapshot } from '../commands/snapshot.ts';
import { startChild } from '../setup/start-child.ts';
import { appendTurn } from './append-turn.ts';
import { type DatabaseHome, makeHome, readRefusal } from './database-home.ts';
import { readAllRows, readAsFile, readLinesOf } from './look-into.ts';

const HOLDER = new URL('./children/hold-database.mjs', import.meta.url);
const TALKER = new URL('./children/append-turns.ts', import.meta.url);
const ID = '00000000-0000-4000-8000-000000000001';

let home: DatabaseHome;
let session: FoundSession;
beforeEach(() => {
  const events = generateEvents({ seed: 8, turns: 10, resultLength: 400, sessionId: ID });
  home = makeHome([{ key: 'agent:main:main', events, entry: { totalTokens: 90_000 } }]);
  session = {
    source: 'openclaw',
    storage: 'sqlite',
    agentId: 'main',
    sessionId: ID,
    sessionKey: 'agent:main:main',
    path: home.path,
  } as FoundSession;
});

const readQuestions = () =>
  readLinesOf(home.path, ID).flatMap(({ text }) => {
    const { message } = JSON.parse(text);
    return message?.role === 'user' && message.content.startsWith('Question number') ? [message.content] : [];
  });

test('held by another program for too long: refused with a clear error, and nothing is left', async () => {
  const before = readAllRows(home.path);
  const holder = startChild(HOLDER, [home.path]);
  await holder.said('held');
  const refusal = readRefusal(
    await home.occProcess('edit', ID, '--strip-tools=extreme', '--wait=1', '--json'),
  );
  expect(refusal).toMatchObject({
    code: 'DATABASE_BUSY',
    message: expect.stringContaining(home.path),
    hint: expect.stringMatching(/gateway.*--wait/),
  });
  holder.tell('let-go');
  expect(await holder.ended).toBe(0);
  expect(readdirSync(join(home.sessions, '..'))).toEqual(['agent']);
  expect(readAllRows(home.path)).toEqual(before);
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

test('so is a restore, and of what was kept before nothing is lost', LONG, async () => {
  await home.json('edit', ID, '--keep', '5');
  const before = takeFileSnapshot(home.kept);
  const holder = startChild(HOLDER, [home.path]);
  await holder.said('held');
  const refusal = readRefusal(await home.occProcess('restore', ID, '--wait=1', '--json'));
  expect(refusal.code).toBe('DATABASE_BUSY');
  holder.tell('let-go');
  expect(await holder.ended).toBe(0);
  const names = readdirSync(home.kept).sort();
  expect(names).toEqual([`${ID}.backup.1.jsonl`, `${ID}.occ.json`]);
  expect(takeFileSnapshot(home.kept)[names[0]!]).toBe(before[names[0]!]);
  expect(home.journal(ID)).toHaveLength(1);
});

test('let go in time: the edit waits, then goes through', LONG, async () => {
  const file = readAsFile(home.path, ID);
  const holder = startChild(HOLDER, [home.path]);
  await holder.said('held');
  const running = home.occProcess('edit', ID, '--strip-tools=extreme', '--wait=100', '--json');
  // Its lock is the last thing that it makes before it waits.
  while (!existsSync(join(home.sessions, `${ID}.jsonl.lock`))) await sleep(5);
  holder.tell('let-go');
  const { code, stdout, stderr } = await running;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ changed: true });
  expect(home.backups(ID)).toEqual({ 1: file });
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

test.each([1, 2, 3])(
  'a message arrives between the plan and the change, %i times: it is planned anew, the last time with writers kept out',
  async (times) => {
    const talker = new DatabaseSync(home.path);
    let spoken = 0;
    const done = await editSession(storageOf(session), session, {
      options: BUILT_IN_PRESETS.extreme,
      // Asked for once in each attempt, after the plan.
      now: () => {
        if (spoken < times) appendTurn(talker, ID, `number ${++spoken}`);
        return new Date();
      },
    });
    talker.close();
    expect(spoken).toBe(times);
    expect(done.backupPath).toMatch(/\.backup\.1\.jsonl$/);
    expect(readQuestions()).toEqual(Array.from({ length: times }, (_, i) => `Question number ${i + 1}`));
    const [backup] = Object.values(home.backups(ID));
    expect(backup).toContain(`Answer number ${times}`);
    expect(Object.keys(home.backups(ID))).toEqual(['1']);
    expect(home.journal(ID)).toHaveLength(1);
    expect(readAsFile(home.path, ID)).not.toContain('toolResult');
    expect(findDatabaseFaults(home.path)).toEqual([]);
  },
);

test(
  'an agent that writes without a pause while it is cleaned again and again: no message is lost',
  HUNT,
  async () => {
    const edits = tries({ gate: 1, torture: 10 });
    const talker = startChild(TALKER, [home.path, ID]);
    await talker.said('appended');
    for (let edit = 0; edit < edits; edit++) {
      const { code, stderr } = await home.occProcess('edit', ID, '--keep', '1', '--wait=100', '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    talker.tell('stop');
    const count = Number(await talker.said('stopped'));
    expect(await talker.ended).toBe(0);
    expect(count).toBeGreaterThan(edits);
    expect(readQuestions()).toEqual(Array.from({ length: count }, (_, i) => `Question number ${i + 1}`));
    const file = readAsFile(home.path, ID);
    for (let number = 1; number <= count; number++) expect(file).toContain(`Answer number ${number}"`);
    expect(findDatabaseFaults(home.path)).toEqual([]);
    expect(existsSync(`${home.path}-wal`)).toBe(false);
  },
);

test('two edits at once: one after the other, and each leaves its backup', LONG, async () => {
  const [one, other] = await Promise.all([
    home.occProcess('edit', ID, '--keep', '5', '--truncate', '0', '--json'),
    home.occProcess('edit', ID, '--keep', '2', '--truncate', '0', '--json'),
  ]);
  expect([one.code, other.code, one.stderr, other.stderr]).toEqual([0, 0, '', '']);
  const changed = [one, other].filter(({ stdout }) => JSON.parse(stdout).changed).length;
  expect(Object.keys(home.backups(ID))).toHaveLength(changed);
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

test('a restore that is planned again reads the backups no second time, least of all with the database held', async () => {
  await home.json('edit', ID, '--strip-tools=extreme');
  const storage = storageOf(session);
  const { hold, listBackups } = await storage.rewriting();
  const backups = listBackups(session);
  const [kept] = backups;
  const find = async (held: HeldSession) => {
    const state = await held.open();
    try {
      const { earlier } = await state.findRestored(kept!, backups);
      return earlier.readLine(earlier.transcript.length - 1);
    } finally {
      await state.close();
    }
  };
  await hold(session, {}, async (held) => {
    const line = await find(held);
    unlinkSync(kept!.path);
    expect(await held.keepWritersOut(() => find(held))).toBe(line);
  });
});
