import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { createFileEraDatabase } from '../../../sessions/test/openclaw-db/setup/create-agent-database.ts';
import { makeMcpHome } from '../mcp-server/mcp-home.ts';
import { keepInDatabase, keepInFiles, talk } from './conversations.ts';

const CONTEXT = 'openclaw_conversation_context';
const INFO = 'openclaw_session_info';
const MAIN = 'agent:main:main';

describe('files that are not as they should be', () => {
  const make = () => {
    const home = makeMcpHome();
    const [id] = keepInFiles(home.stateDir, 'main', [{ key: MAIN, compose: talk(1) }]);
    const folder = join(home.stateDir, 'agents/main/sessions');
    const setEntry = (entry: object) =>
      writeFileSync(join(folder, 'sessions.json'), JSON.stringify({ [MAIN]: entry }));
    return { ...home, id: id!, folder, transcript: join(folder, `${id}.jsonl`), setEntry };
  };

  test('a transcript that is missing has no messages', async () => {
    const { connect, transcript } = make();
    rmSync(transcript);
    expect((await (await connect())(CONTEXT)).answer.messages).toEqual([]);
  });

  test('broken lines and a torn line are skipped', async () => {
    const { connect, transcript, write } = make();
    writeFileSync(transcript, 'no json\n', { flag: 'a' });
    writeFileSync(transcript, '{"type":"message","id":"x', { flag: 'a' });
    expect((await (await connect())(CONTEXT)).answer.messages).toHaveLength(2);
    write('state/agents/main/sessions/sessions.json', '{"half');
    const { isError, text } = await (await connect())(CONTEXT);
    expect([isError, text.split(':')[0]]).toEqual([true, 'STORE_PARSE_FAILED']);
  });

  test.each([
    ['an absolute path', '/etc/passwd'],
    ['a path upwards', '../../../secret.jsonl'],
    ['another folder', 'below/secret.jsonl'],
  ])('a transcript recorded by %s is refused', async (_name, sessionFile) => {
    const { connect, setEntry, id, write } = make();
    write('secret.jsonl', '{"type":"user","message":{"role":"user","content":"secret"}}\n');
    setEntry({ sessionId: id, updatedAt: 1, sessionFile });
    const { isError, text } = await (await connect())(CONTEXT);
    expect([isError, text.split(':')[0]]).toEqual([true, 'PATH_ESCAPES_FOLDER']);
  });

  test('a session id that is a path is refused', async () => {
    const { connect, setEntry } = make();
    setEntry({ sessionId: '../../secret', updatedAt: 1 });
    expect((await (await connect())(CONTEXT)).isError).toBe(true);
  });

  test('a transcript that is a link out of the folder is refused', async () => {
    const { connect, transcript, root } = make();
    renameSync(transcript, join(root, 'elsewhere.jsonl'));
    symlinkSync(join(root, 'elsewhere.jsonl'), transcript);
    const { isError, text } = await (await connect())(CONTEXT);
    expect([isError, text.split(':')[0]]).toEqual([true, 'PATH_ESCAPES_FOLDER']);
  });

  test('a database that is a link out of the folder is refused', async () => {
    const { connect, stateDir, root } = make();
    keepInDatabase(join(root, 'other'), 'main', [{ key: MAIN, compose: talk(1, 'secret') }]);
    mkdirSync(join(stateDir, 'agents/main/agent'));
    symlinkSync(
      join(root, 'other/agents/main/agent/openclaw-agent.sqlite'),
      join(stateDir, 'agents/main/agent/openclaw-agent.sqlite'),
    );
    const { isError, text } = await (await connect())(CONTEXT);
    expect([isError, text.split(':')[0]]).toEqual([true, 'PATH_ESCAPES_FOLDER']);
  });

  test('a folder with the name of a transcript has no messages', async () => {
    const { connect, transcript } = make();
    rmSync(transcript);
    mkdirSync(transcript);
    expect((await (await connect())(CONTEXT)).answer.messages).toEqual([]);
  });

  test('messages that were removed from the context or replaced are not returned', async () => {
    const { connect, transcript, id } = make();
    const say = (name: string, parentId: string | null) => ({
      ...{ type: 'message', id: name, parentId },
      message: { role: 'user', content: `said ${name}` },
    });
    const lines = [
      { type: 'session', version: 3, id, timestamp: '2026-11-16T01:00:00.000Z', cwd: '/' },
      ...[say('a', null), say('b', 'a'), say('c', 'b')],
      { type: 'context_edit', id: 'd', parentId: 'c', targetId: 'a', replacement: null },
      { type: 'context_edit', id: 'e', parentId: 'd', targetId: 'b', replacement: { content: 'cut' } },
    ];
    writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { answer } = await (await connect())(CONTEXT);
    expect(answer.messages).toEqual([{ role: 'user', text: 'said c', isCut: false }]);
  });

  test('a thread has a transcript of its own', async () => {
    const { connect, stateDir, folder } = make();
    const key = 'agent:main:telegram:group:-100:topic:7';
    const [id] = keepInFiles(stateDir, 'main', [{ key, compose: talk(1, 'in the thread') }]);
    renameSync(join(folder, `${id}.jsonl`), join(folder, `${id}-topic-7.jsonl`));
    const { answer } = await (await connect({ sessionKey: key }))(CONTEXT);
    expect(answer.messages[0].text).toBe('in the thread 1');
  });

  test('invalid times are left out', async () => {
    const { connect, setEntry, id } = make();
    for (const updatedAt of [8.64e15, -8.64e15, 1e300]) {
      setEntry({ sessionId: id, updatedAt, sessionStartedAt: updatedAt });
      const { answer, isError } = await (await connect())(INFO);
      expect(isError).toBe(false);
      expect(answer).not.toHaveProperty('sessionStartedAt');
    }
  });
});

describe('a database that is not as it should be', () => {
  const make = () => {
    const home = makeMcpHome();
    const [id] = keepInDatabase(home.stateDir, 'main', [{ key: MAIN, compose: talk(1) }]);
    const path = join(home.stateDir, 'agents/main/agent/openclaw-agent.sqlite');
    const change = (sql: string) => {
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
    };
    return { ...home, id: id!, path, change };
  };

  test('lines that were moved away are said to be', async () => {
    const { connect, change, id } = make();
    change(
      `PRAGMA foreign_keys = OFF; DELETE FROM session_transcript_active_events; DELETE FROM transcript_events;
       INSERT INTO session_transcript_cold_archives VALUES
         ('${id}', 'g', 'archive', '${'a'.repeat(64)}', 3, 4711, 99, 2, 1, 'file', NULL)`,
    );
    const { isError, text } = await (await connect())(CONTEXT);
    expect([isError, text.split(':')[0]]).toEqual([true, 'TRANSCRIPT_UNREADABLE']);
  });

  test('where it has no lines of a session the file of it is read', async () => {
    const { connect, change, id, write } = make();
    change(
      'PRAGMA foreign_keys = OFF; DELETE FROM session_transcript_active_events; DELETE FROM transcript_events',
    );
    expect((await (await connect())(CONTEXT)).answer.messages).toEqual([]);
    const line = {
      type: 'message',
      id: 'a',
      parentId: null,
      message: { role: 'user', content: 'in the file' },
    };
    const header = { type: 'session', version: 3, id, timestamp: '2026-11-16T01:00:00.000Z', cwd: '/' };
    write(`state/agents/main/sessions/${id}.jsonl`, `${JSON.stringify(header)}\n${JSON.stringify(line)}\n`);
    expect((await (await connect())(CONTEXT)).answer.messages[0].text).toBe('in the file');
  });

  test.each([
    ['no database', 'not a database at all, but long enough to be read as one', 'DATABASE_UNREADABLE'],
    ['an empty file', '', 'SESSION_NOT_FOUND'],
  ])('%s is a tool error', async (_name, content, code) => {
    const { connect, path } = make();
    writeFileSync(path, content);
    const { isError, text } = await (await connect())(CONTEXT);
    expect([isError, text.split(':')[0]]).toEqual([true, code]);
  });

  test('one of the file era holds no sessions: the files are read', async () => {
    const home = makeMcpHome();
    keepInFiles(home.stateDir, 'main', [{ key: MAIN, compose: talk(1) }]);
    createFileEraDatabase(join(home.stateDir, 'agents/main/agent/openclaw-agent.sqlite'));
    const call = await home.connect();
    expect((await call(CONTEXT)).answer.messages).not.toEqual([]);
    expect((await call(INFO)).isError).toBeFalsy();
  });
});
