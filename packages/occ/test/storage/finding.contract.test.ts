/** What the search expects of every source and storage. A new storage is one more entry in HOMES. */
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listSessions } from '../../src/finding/list-sessions.ts';
import { resolveSession } from '../../src/finding/resolve-session.ts';
import { STORAGES, sourceOf, storageOf } from '../../src/storage/all.ts';
import type { SearchScope, StorageName } from '../../src/storage/contract/found-session.ts';
import { databasePath, putDatabase, type SessionInDatabase } from '../finding/database.ts';
import {
  callLine,
  header,
  makeHome,
  put,
  resultLine,
  scopeAt,
  sessionsFolder,
  setAge,
  userLine,
  uuid,
} from '../finding/home.ts';

const [OLD, MIDDLE, NEW, UNKNOWN] = ['1a', '1b', '2', '3'].map((id) =>
  uuid('0').replace(/^0+/, id.padEnd(8, '0')),
);
const WORK = '/work/space';
const COMMAND = ['occ', 'edit', '--strip-tools'];
const CALL = callLine({ id: 'c1', arguments: { command: COMMAND.join(' ') } });

interface Session {
  readonly sessionId: string;
  readonly lines?: readonly string[];
}

/** How a home folder looks that has sessions in one storage. */
interface TestHome {
  /** Sessions whose transcripts name WORK as their folder, the oldest first. */
  put(home: string, sessions: readonly Session[]): void;
  /** The path of the transcript. */
  transcriptPath(home: string, sessionId: string): string;
  /** The file that the search reports as the path of the session; the transcript when left out. */
  path?(home: string): string;
  /** What cannot be read any more when a text takes its place, and the code of the error. */
  damaged(home: string): readonly [path: string, code: string];
  /** The variables that its program sets in a shell in which this session runs a command. */
  shell(sessionId: string): Record<string, string>;
  readonly foundInShell: 'environment' | 'calling-command';
}

function putFiles(
  transcriptPath: TestHome['transcriptPath'],
  firstLine: (sessionId: string, cwd: string) => string,
): Pick<TestHome, 'put' | 'transcriptPath'> {
  return {
    transcriptPath,
    put(home, sessions) {
      for (const [age, { sessionId, lines = [] }] of sessions.entries()) {
        const text = [firstLine(sessionId, WORK), ...lines].join('');
        setAge(put(transcriptPath(home, sessionId), text), age);
      }
    },
  };
}

const HOMES: Readonly<Record<StorageName, TestHome>> = {
  'openclaw-files': {
    ...putFiles((home, id) => join(sessionsFolder(home), `${id}.jsonl`), header),
    damaged: (home) => [sessionsFolder(home), 'TRANSCRIPT_UNREADABLE'],
    shell: () => ({ OPENCLAW_SHELL: 'exec' }),
    foundInShell: 'calling-command',
  },
  'openclaw-sqlite': {
    put(home, sessions) {
      const rows = sessions.map(
        ({ sessionId, lines }, age): SessionInDatabase => ({
          sessionId,
          lines,
          age,
          key: `agent:main:dm:${sessionId}`,
          cwd: WORK,
        }),
      );
      putDatabase(home, rows);
    },
    transcriptPath: (home, id) => join(sessionsFolder(home), `${id}.jsonl`),
    path: (home) => databasePath(home),
    damaged: (home) => [databasePath(home), 'DATABASE_UNREADABLE'],
    shell: () => ({ OPENCLAW_SHELL: 'exec' }),
    foundInShell: 'calling-command',
  },
  pi: {
    ...putFiles(
      (home, id) => join(home, '.pi/agent/sessions/--work-space--', `2026-01-01T00-00-00-000Z_${id}.jsonl`),
      header,
    ),
    damaged: (home) => [join(home, '.pi/agent/sessions'), 'TRANSCRIPT_UNREADABLE'],
    shell: () => ({ PI_CODING_AGENT: 'true' }),
    foundInShell: 'calling-command',
  },
  claude: {
    ...putFiles(
      (home, id) => join(home, '.claude/projects/-work-space', `${id}.jsonl`),
      (sessionId, cwd) => `${JSON.stringify({ type: 'user', uuid: 'u1', sessionId, cwd })}\n`,
    ),
    damaged: (home) => [join(home, '.claude/projects'), 'TRANSCRIPT_UNREADABLE'],
    shell: (sessionId) => ({ CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: sessionId }),
    foundInShell: 'environment',
  },
};

test('every storage is tested', () => {
  expect(STORAGES.map(({ name }) => name).sort()).toEqual(Object.keys(HOMES).sort());
});

describe.each(STORAGES.map((storage) => [storage.name, storage] as const))('%s', (name, storage) => {
  const kind = HOMES[name];
  const source = sourceOf(storage.source);
  const agentId = source.agentIds === undefined ? null : 'main';

  const fill = (...sessions: readonly Session[]): { home: string; scope: SearchScope } => {
    const home = makeHome();
    kind.put(home, sessions);
    return { home, scope: scopeAt(home, { source: storage.source }) };
  };
  const fillWithThree = () => fill({ sessionId: OLD! }, { sessionId: MIDDLE! }, { sessionId: NEW! });

  test('locates sessions without opening them', () => {
    const { home, scope } = fillWithThree();
    const located = source.locate(scope);
    expect(located.map(({ sessionId }) => sessionId).sort()).toEqual([OLD, MIDDLE, NEW]);
    for (const session of located) {
      expect(session).toMatchObject({ source: source.name, agentId, missing: false });
      expect(session.path).toBe(kind.path?.(home) ?? kind.transcriptPath(home, session.sessionId));
      expect(storageOf(session)).toBe(storage);
    }
  });

  test('lists them newest first, with what the transcript says', async () => {
    const { home, scope } = fillWithThree();
    const listed = await listSessions(scope);
    expect(listed.map(({ sessionId }) => sessionId)).toEqual([NEW, MIDDLE, OLD]);
    expect(listed[0]).toMatchObject({ source: source.name, agentId, cwd: WORK });
    expect(listed[0]!.sizeBytes).toBeGreaterThan(0);
    expect(listed[0]!.updatedAt).toBe(Date.UTC(2026, 0, 1) + 2000);
    expect(storage.hasOwnFile).toBe(listed[0]!.path === kind.transcriptPath(home, NEW!));
  });

  test('is chosen where it is all that exists', async () => {
    const { home } = fillWithThree();
    expect(source.exists(scopeAt(home))).toBe(true);
    expect(await listSessions(scopeAt(home))).toHaveLength(3);
    expect(source.exists(scopeAt(makeHome()))).toBe(false);
  });

  test('finds by id in any case and by a unique beginning', async () => {
    const { scope } = fillWithThree();
    for (const wanted of [OLD!, OLD!.toUpperCase(), '1a']) {
      expect(await resolveSession(scope, wanted)).toMatchObject({
        session: { sessionId: OLD },
        foundBy: 'argument',
      });
    }
  });

  test('refuses a beginning that several have', async () => {
    const { scope } = fillWithThree();
    await expect(resolveSession(scope, '1')).rejects.toMatchObject({
      code: 'AMBIGUOUS_SESSION',
      details: { partial: '1', matches: [MIDDLE, OLD] },
    });
  });

  test('finds by the path of the transcript, whatever source is the default', async () => {
    const { home, scope } = fillWithThree();
    const path = kind.transcriptPath(home, MIDDLE!);
    const { session } = await resolveSession(scopeAt(home), path);
    expect(session).toEqual((await resolveSession(scope, MIDDLE!)).session);
  });

  test('is addressed in a command by what finds it again', async () => {
    const { home, scope } = fillWithThree();
    const { session } = await resolveSession(scope, MIDDLE!);
    for (const byPath of [false, true]) {
      const address = storage.addressInCommand(session, { byPath });
      const flags = new Map(address.flags.map((word, at) => [word, address.flags[at + 1]]));
      const again = scopeAt(home, {
        source: flags.get('--source') as SearchScope['source'],
        agentFlag: flags.get('--agent'),
        stateDirFlag: flags.get('--state-dir'),
      });
      expect((await resolveSession(again, address.name)).session.sessionId).toBe(MIDDLE);
    }
  });

  test('an unknown id is not found; nothing at all names where it was searched', async () => {
    const { scope } = fillWithThree();
    await expect(resolveSession(scope, UNKNOWN!)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    const empty = scopeAt(makeHome(), { source: storage.source });
    const error = await resolveSession(empty).catch((fault) => fault);
    expect(error).toMatchObject({ code: 'NO_SESSIONS' });
    for (const path of source.searchedPaths(empty)) expect(error.hint).toContain(path);
  });

  test('a path without a session is not found, and the backup beside it is named', async () => {
    const { home, scope } = fillWithThree();
    const path = kind.transcriptPath(home, UNKNOWN!);
    await expect(resolveSession(scope, path)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: expect.stringContaining(path),
    });
    const stem = path.slice(dirname(path).length + 1, -'.jsonl'.length);
    const backup = put(join(dirname(path), 'backups', `${stem}.backup.1.jsonl`), header(UNKNOWN!));
    expect(source.sessionsFolders(scope)).toContain(dirname(path));
    for (const wanted of [path, UNKNOWN!]) {
      await expect(resolveSession(scope, wanted)).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
        hint: expect.stringContaining(`occ clone ${backup}`),
      });
    }
  });

  test('describes a session that is gone as one that it would keep', () => {
    const { home, scope } = fillWithThree();
    const head = { dialect: undefined, sessionId: undefined, cwd: WORK } as const;
    const gone = source.describeGone(
      kind.transcriptPath(home, UNKNOWN!),
      { ...head, sessionId: UNKNOWN },
      scope,
    );
    expect(gone).toMatchObject({ agentId, cwd: WORK, missing: true, sizeBytes: 0 });
    expect(gone.sessionId.endsWith(UNKNOWN!)).toBe(true);
    expect(storageOf(gone)).toBe(storage);
  });

  test('what cannot be read is an error, not an empty list', async () => {
    const { home, scope } = fillWithThree();
    const [path, code] = kind.damaged(home);
    rmSync(path, { recursive: true });
    writeFileSync(path, 'not what was here before. '.repeat(100));
    await expect(listSessions(scope)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(path),
    });
  });

  test('in a shell of its program, the session that runs the command is the current one', async () => {
    const answered = [userLine('hi'), CALL, resultLine('c1')];
    const { home } = fill(
      { sessionId: OLD!, lines: [userLine('hi'), CALL] },
      { sessionId: NEW!, lines: answered },
    );
    const scope = scopeAt(home, { commandLine: COMMAND, env: kind.shell(OLD!) });
    expect(await resolveSession(scope)).toMatchObject({
      session: { sessionId: OLD },
      foundBy: kind.foundInShell,
    });
  });

  test('in a shell of its program, no session is guessed', async () => {
    const { home } = fillWithThree();
    const [variable] = source.shell.variables;
    await expect(resolveSession(scopeAt(home, { env: { [variable!]: '1' } }))).rejects.toMatchObject({
      code: 'SESSION_NOT_NAMED',
      message: expect.stringContaining(source.title),
      hint: expect.stringContaining(source.shell.advice),
    });
  });
});
