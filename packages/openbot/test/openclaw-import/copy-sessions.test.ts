import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { activePath, lookIntoSessionStore, scanTranscriptFile } from '@openbot/sessions';
import { openclawLayoutOf } from '@openbot/sessions/layout';
import { readOpenclawDatabase, scanDatabaseTranscript } from '@openbot/sessions/openclaw-database';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { arbitrarySession } from '../../../sessions/test/openclaw-db/setup/arbitrary-session.ts';
import { composeSession } from '../../../sessions/test/openclaw-db/setup/compose-session.ts';
import { addTurn } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { createFileEraDatabase } from '../../../sessions/test/openclaw-db/setup/create-agent-database.ts';
import { makeAgentDatabase } from '../../../sessions/test/openclaw-db/setup/make-database.ts';
import { copySessions } from '../../src/openclaw-import/copy-sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { addDatabaseFixture, addFileFixture, makeOpenclawHome, type OpenclawHome } from './openclaw-home.ts';

const ID = '00000000-0000-4000-8000-000000000001';

function makeTarget(
  { stateDir: from }: OpenclawHome,
  options: { store?: string; defaultAgentId?: string } = {},
) {
  const stateDir = join(makeTempFolder(), 'state');
  const config = options.store === undefined ? undefined : { agentIds: [], ...options };
  const source = openclawLayoutOf(from, config, { env: {}, cwd: '/' });
  const folderOf = (agentId: string) => join(stateDir, 'agents', agentId, 'sessions');
  return {
    stateDir,
    folder: folderOf('main'),
    copy: (agentId = 'main', dryRun = false) => copySessions({ source, stateDir, env: {}, dryRun }, agentId),
    entries: (agentId = 'main') =>
      Object.fromEntries(
        (lookIntoSessionStore(join(folderOf(agentId), 'sessions.json')) ?? []).map(({ key, entry }) => [
          key,
          entry as Record<string, unknown>,
        ]),
      ),
  };
}

/** Messages of the active path, as they are written. */
function spokenIn(lines: readonly string[]): unknown[] {
  return lines.flatMap((line) => {
    const { message } = JSON.parse(line) as { message?: unknown };
    return message === undefined ? [] : [message];
  });
}

function readDatabasePath(path: string, sessionId: string): unknown[] {
  return readOpenclawDatabase(path, (database) => {
    const { transcript, readBytes } = scanDatabaseTranscript(database, sessionId);
    return spokenIn(activePath(transcript).entries.map((index) => readBytes(index).toString()));
  });
}

async function readFilePath(path: string): Promise<unknown[]> {
  const transcript = await scanTranscriptFile(path);
  const bytes = readFileSync(path);
  return spokenIn(
    activePath(transcript).entries.map((index) =>
      bytes.subarray(transcript.startOf(index), transcript.endOf(index)).toString(),
    ),
  );
}

function readWithPi(path: string): unknown[] {
  const copy = `${path}.copy`;
  copyFileSync(path, copy);
  const before = readFileSync(copy);
  const branch = SessionManager.open(copy).getBranch() as { message?: unknown }[];
  // It rewrites files of another version.
  expect(readFileSync(copy).equals(before)).toBe(true);
  return branch.flatMap(({ message }) => (message === undefined ? [] : [message]));
}

describe('sessions in files', () => {
  it('are copied byte for byte, with their entries, and not a second time', async () => {
    const home = makeOpenclawHome();
    addFileFixture(home);
    const before = home.state();
    const target = makeTarget(home);
    const dry = await target.copy('main', true);
    expect(() => readdirSync(target.stateDir)).toThrow('ENOENT');
    const copied = await target.copy();
    expect({ ...dry }).toEqual(copied);
    expect(copied).toMatchObject({ transcripts: 10, entries: 22, existing: 0 });
    const names = readdirSync(home.sessionsDirOf('main')).filter((name) => /^[^.]+\.jsonl$/.test(name));
    for (const name of names) {
      const bytes = readFileSync(join(target.folder, name));
      expect(bytes.equals(readFileSync(join(home.sessionsDirOf('main'), name)))).toBe(true);
      expect(statSync(join(target.folder, name)).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(target.folder).sort()).toEqual([...names, 'sessions.json'].sort());
    expect(copied.leftOut.map(({ what }) => what)).toEqual([
      expect.stringContaining('3 archives'),
      expect.stringContaining('2 trajectory files'),
    ]);
    const entry = target.entries()['agent:main:imgsend']!;
    expect(entry).toMatchObject({
      sessionId: '6597ebc8-a090-49c9-8b04-ae8480d54adf',
      chatType: 'direct',
      model: expect.any(String),
      totalTokens: expect.any(Number),
    });
    for (const name of ['sessionFile', 'skillsSnapshot', 'systemPromptReport']) {
      expect(entry).not.toHaveProperty(name);
    }
    const after = JSON.stringify(target.entries());
    expect(await target.copy()).toMatchObject({ transcripts: 0, entries: 0, existing: 10 });
    expect(JSON.stringify(target.entries())).toBe(after);
    expect(home.state()).toEqual(before);
  });

  it('that are here stay as they are; a copy that was cut off is finished', async () => {
    const home = makeOpenclawHome();
    addFileFixture(home);
    const target = makeTarget(home);
    mkdirSync(target.folder, { recursive: true });
    const own = 'c08003b6-0d03-422c-a73d-4631a34efc6c.jsonl';
    writeFileSync(join(target.folder, own), 'mine\n');
    const mine = { sessionId: 'mine', updatedAt: 7 };
    writeFileSync(
      join(target.folder, 'sessions.json'),
      JSON.stringify({ 'agent:main:main': mine, 'agent:main:img': { sessionId: 'other', updatedAt: 8 } }),
    );
    const { leftOut, ...copied } = await target.copy();
    expect(copied).toMatchObject({ transcripts: 9, entries: 20, existing: 1 });
    expect(leftOut.filter(({ what }) => what.startsWith('agent:'))).toEqual([
      { what: 'agent:main:main', why: expect.stringContaining(own) },
      { what: 'agent:main:img', why: expect.stringContaining('another session with this key here') },
    ]);
    expect(readFileSync(join(target.folder, own), 'utf8')).toBe('mine\n');
    expect(target.entries()['agent:main:main']).toEqual(mine);
    // Transcripts without entries are what a copy leaves behind that was killed in between.
    writeFileSync(join(target.folder, 'sessions.json'), '{}');
    expect(await target.copy()).toMatchObject({ transcripts: 0, entries: 22, existing: 10 });
  });

  it('of a topic, of a running session, and of ids that are none', async () => {
    const home = makeOpenclawHome();
    const folder = home.sessionsDirOf('main');
    const header = `${JSON.stringify({ type: 'session', version: 3, id: ID, timestamp: '', cwd: '/' })}\n`;
    writeFileSync(join(folder, `${ID}-topic-42.jsonl`), header);
    const entry = { sessionId: ID, updatedAt: 5, sessionFile: join(folder, `${ID}-topic-42.jsonl`) };
    const topic = 'agent:main:telegram:group:-1:topic:42';
    writeFileSync(
      join(folder, 'sessions.json'),
      JSON.stringify({
        [topic]: { ...entry, status: 'running', startedAt: 3, future: { kept: true } },
        'agent:main:odd': { sessionId: '../../etc', updatedAt: 5 },
        'agent:main:far': { sessionId: 'far', updatedAt: 5, sessionFile: '/etc/hostname' },
      }),
    );
    const target = makeTarget(home);
    const { leftOut } = await target.copy();
    expect(target.entries()[topic]).toEqual({
      sessionId: ID,
      updatedAt: 5,
      sessionFile: join(target.folder, `${ID}-topic-42.jsonl`),
      future: { kept: true },
    });
    expect(leftOut).toEqual([
      { what: 'agent:main:odd', why: 'its session id is not one' },
      { what: 'agent:main:far', why: expect.stringContaining('another folder') },
    ]);
    expect(Object.keys(target.entries())).toEqual([topic, 'agent:main:far']);
  });

  it('in a store that agents share go to the agent of their key', async () => {
    const home = makeOpenclawHome();
    const store = join(home.stateDir, 'all', 'sessions.json');
    mkdirSync(join(home.stateDir, 'all'));
    const entryOf = (sessionId: string) => ({ sessionId, updatedAt: 1 });
    writeFileSync(
      store,
      JSON.stringify({
        'agent:main:main': entryOf('a'),
        'agent:ops:main': entryOf('b'),
        global: entryOf('c'),
      }),
    );
    for (const id of ['a', 'b', 'c', 'old']) writeFileSync(join(home.stateDir, 'all', `${id}.jsonl`), id);
    const target = makeTarget(home, { store, defaultAgentId: 'ops' });
    await target.copy('main');
    await target.copy('ops');
    expect(Object.keys(target.entries('main'))).toEqual(['agent:main:main']);
    expect(Object.keys(target.entries('ops'))).toEqual(['agent:ops:main', 'global']);
    expect(readdirSync(target.folder).sort()).toEqual(['a.jsonl', 'sessions.json']);
    const ofOps = readdirSync(join(target.stateDir, 'agents/ops/sessions')).sort();
    expect(ofOps).toEqual(['b.jsonl', 'c.jsonl', 'old.jsonl', 'sessions.json']);
  });
});

describe('sessions in a database', () => {
  it('become transcripts that pi and this reader read alike: same words, calls and results', async () => {
    const home = makeOpenclawHome();
    addDatabaseFixture(home);
    const before = home.state();
    const target = makeTarget(home);
    expect(await target.copy()).toMatchObject({ transcripts: 2, entries: 2, leftOut: [] });
    for (const [key, { sessionId }] of Object.entries(target.entries())) {
      const there = readDatabasePath(home.databaseOf('main'), String(sessionId));
      const path = join(target.folder, `${sessionId}.jsonl`);
      expect(there.length, key).toBeGreaterThan(5);
      expect(await readFilePath(path)).toEqual(there);
      expect(readWithPi(path)).toEqual(there);
      expect(JSON.parse(readFileSync(path, 'utf8').split('\n')[0]!)).toMatchObject({
        type: 'session',
        version: 3,
        id: sessionId,
      });
    }
    expect(target.entries()['agent:main:think']).toMatchObject({
      thinkingLevel: expect.any(String),
      totalTokens: expect.any(Number),
    });
    expect(await target.copy()).toMatchObject({ transcripts: 0, entries: 0, existing: 2 });
    expect(home.state()).toEqual(before);
  });

  it('whatever tree their lines form', HUNT, async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySession, async (events) => {
        const home = makeOpenclawHome();
        const sessions = [{ key: 'agent:main:main', events }];
        const { sessionId } = makeAgentDatabase(home.databaseOf('main'), { sessions })[0]!;
        const target = makeTarget(home);
        expect((await target.copy()).leftOut).toEqual([]);
        const there = readDatabasePath(home.databaseOf('main'), sessionId);
        const path = join(target.folder, `${sessionId}.jsonl`);
        expect(readWithPi(path)).toEqual(there);
        expect(await readFilePath(path)).toEqual(there);
      }),
      cases({ gate: 12, torture: 300 }),
    );
  });

  it('with lines beside the conversation, moved leaves and lost parents, also for pi', async () => {
    const home = makeOpenclawHome();
    const session = composeSession({ seed: 4, sessionId: ID });
    addTurn(session, 0);
    const turn = session.leaf!;
    session.addUser('beside', { side: true });
    session.addUser('said');
    session.addUser('orphan', { from: 'not-there' });
    session.addUser('unlinked', { unlinked: true });
    session.addUser('dropped');
    session.addLeaf(turn);
    session.addUser('instead');
    makeAgentDatabase(home.databaseOf('main'), {
      sessions: [{ key: 'agent:main:main', sessionId: ID, events: session.events }],
    });
    const target = makeTarget(home);
    await target.copy();
    const path = join(target.folder, `${ID}.jsonl`);
    const there = readDatabasePath(home.databaseOf('main'), ID);
    expect(JSON.stringify(there)).toContain('instead');
    expect(JSON.stringify(there)).not.toMatch(/beside|dropped/);
    expect(await readFilePath(path)).toEqual(there);
    expect(readWithPi(path)).toEqual(there);
  });

  it('are copied as they are at one moment while OpenClaw has the database open', async () => {
    const home = makeOpenclawHome();
    addDatabaseFixture(home);
    const writer = new DatabaseSync(home.databaseOf('main'));
    try {
      writer.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = ON; BEGIN IMMEDIATE');
      const line = {
        type: 'message',
        id: 'in-the-wal',
        parentId: null,
        message: { role: 'user', content: 'last words' },
      };
      const [main, think] = ['5ae5f53e-1a33-4851-aa5f-78e1df28e50b', '6eacbb33-4125-4ff8-ac61-644d1a9ddb89'];
      const text = JSON.stringify(line);
      writer
        .prepare(
          `INSERT INTO transcript_events (session_id, seq, event_json, event_utf8_bytes, created_at) VALUES (?, 99, ?, ?, 1)`,
        )
        .run(main!, text, text.length);
      writer.exec('COMMIT');
      const target = makeTarget(home);
      expect(await target.copy()).toMatchObject({ transcripts: 2 });
      expect(readFileSync(join(target.folder, `${main}.jsonl`), 'utf8')).toContain('last words');
      expect(readFileSync(join(target.folder, `${think}.jsonl`), 'utf8')).not.toContain('last words');
    } finally {
      writer.close();
    }
  });

  it('without those whose lines OpenClaw moved to an archive', async () => {
    const home = makeOpenclawHome();
    addDatabaseFixture(home);
    const writer = new DatabaseSync(home.databaseOf('main'));
    writer.exec(`INSERT INTO session_transcript_cold_archives VALUES
      ('6eacbb33-4125-4ff8-ac61-644d1a9ddb89', 'g', 'a', '${'0'.repeat(64)}', 3, 1, 1, 3, 1, 'file', NULL)`);
    writer.close();
    const target = makeTarget(home);
    expect(await target.copy()).toMatchObject({
      transcripts: 1,
      entries: 1,
      leftOut: [
        { what: expect.stringContaining('agent:main:think'), why: expect.stringContaining('archive') },
      ],
    });
  });

  it('one that is damaged keeps no other from being copied; that of the file era has none', async () => {
    const home = makeOpenclawHome();
    addDatabaseFixture(home);
    const writer = new DatabaseSync(home.databaseOf('main'));
    writer.exec(`UPDATE transcript_events SET event_zstd = x'28b52ffd00' WHERE event_zstd IS NOT NULL
      AND session_id = '5ae5f53e-1a33-4851-aa5f-78e1df28e50b'`);
    writer.close();
    const target = makeTarget(home);
    expect(await target.copy()).toMatchObject({
      transcripts: 1,
      entries: 1,
      leftOut: [{ what: 'agent:main:main', why: expect.stringContaining('damaged') }],
    });
    addFileFixture(home, '2026.1.30', 'ops');
    createFileEraDatabase(home.databaseOf('ops'));
    expect(await target.copy('ops')).toMatchObject({ transcripts: 2, entries: 1 });
  });
});
