/** Sessions that are spelled, named or placed in ways that are rare. */
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { createSessionWithTurns } from '../setup/sessions.ts';
import { takeFileSnapshot } from './snapshot.ts';
import { ID, makeStateFolder, type StateFolder, thirtyTurns } from './state-folder.ts';
import { callsOfTurns, readCalls, readRawLines } from './told.ts';

let state: StateFolder;
beforeEach(() => {
  state = makeStateFolder();
});

const read = (path: string) => readFileSync(path, 'latin1');

describe('spelling', () => {
  it('thousands of blank lines stay where they are', LONG, async () => {
    const path = state.add(thirtyTurns());
    const lines = read(path).split('\n');
    // On both sides of what is removed and of what stays.
    for (const at of [100, 50, 6, 4, 1]) lines.splice(at, 0, ...Array<string>(9000).fill(''));
    writeFileSync(path, lines.join('\n'));
    const original = read(path);
    await state.json('edit', ID, '--strip-tools=extreme');
    expect(readCalls(path)).toEqual([]);
    expect(
      read(path)
        .match(/\n{2,}/g)!
        .reduce((sum, run) => sum + run.length - 1, 0),
    ).toBe(45_000);
    await state.json('restore', ID);
    expect(read(path)).toBe(original);
  });

  it('line ends of Windows stay', async () => {
    const path = state.add(thirtyTurns());
    writeFileSync(path, read(path).replaceAll('\n', '\r\n'));
    const original = read(path);
    await state.json('edit', ID, '--strip-tools');
    const lines = read(path).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.every((line) => line.endsWith('\r'))).toBe(true);
    expect(readCalls(path)).toEqual(callsOfTurns(10, 30));
    await state.json('restore', ID);
    expect(read(path)).toBe(original);
  });

  it('a last line without a line end stays so, and what is appended to it is kept by a restore', async () => {
    const path = state.add(thirtyTurns());
    writeFileSync(path, read(path).slice(0, -1));
    const original = read(path);
    const last = readRawLines(path).at(-1)!;
    await state.json('edit', ID, '--strip-tools');
    expect(read(path).endsWith(`\n${last}`)).toBe(true);
    const said = '\n{"type":"message","timestamp":9,"message":{"role":"assistant","content":"More."}}\n';
    appendFileSync(path, said);
    expect(await state.json('restore', ID)).toMatchObject({ linesKept: 1 });
    expect(read(path)).toBe(original + said);
  });

  it('broken lines, unknown lines, blank lines and odd spelling stay byte for byte', async () => {
    const odd = [
      'this is no JSON',
      '{"type":"message","message":{"role":"user","content":"half',
      '',
      '   ',
      '[1, 2]',
      '{"type":"of the future","list":[1.0,1e2],"ünï":"\\u00e9é"}',
      '\u{feff}',
      '{ "type" : "message" , "timestamp":1,"message":{"role":"user","content":"wide spacing","new":null} }',
    ];
    const lines = thirtyTurns();
    const path = state.add([...lines.slice(0, 9), ...odd, ...lines.slice(9)]);
    const original = read(path);
    await state.json('edit', ID, '--strip-tools');
    const after = readRawLines(path);
    const first = after.indexOf(odd[0]!);
    expect(after.slice(first, first + odd.length)).toEqual(odd);
    await state.json('restore', ID);
    expect(read(path)).toBe(original);
  });

  it('bytes that are no UTF-8 stay', async () => {
    const path = state.add(thirtyTurns());
    const stray = Buffer.from(
      '{"type":"message","timestamp":1,"message":{"role":"user","content":"\xff\xfe"}}\n',
      'latin1',
    );
    writeFileSync(path, Buffer.concat([readFileSync(path), stray]));
    await state.json('edit', ID, '--strip-tools', '--force');
    expect(readFileSync(path).subarray(-stray.length).equals(stray)).toBe(true);
  });
});

describe('sessions with little in them', () => {
  it.each([
    ['nothing', ''],
    [
      'a header only',
      `{"type":"session","version":3,"id":"${ID}","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n`,
    ],
    [
      'a header without a line end',
      `{"type":"session","version":3,"id":"${ID}","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}`,
    ],
    ['blank lines', '\n\n'],
  ])(
    '%s: nothing to clean, nothing to restore, and only what has a header can be cloned',
    async (_, content) => {
      const path = state.add([]);
      writeFileSync(path, content);
      const before = read(path);
      const result = await state.json('edit', ID, '--strip-tools=extreme');
      expect(result).toMatchObject({
        changed: false,
        statistics: {
          messagesOriginal: 0,
          toolCallsOriginal: 0,
          sizeOriginal: content.length,
          reductionPercent: 0,
        },
        tokens: { before: 0, after: 0, basis: 'estimated' },
      });
      expect(read(path)).toBe(before);
      expect(await state.refused('restore', ID)).toMatchObject({ code: 'RESTORE_FAILED' });
      if (content.trim() === '') {
        const { message, hint } = await state.refused('clone', ID);
        expect(message).toBe(`Failed to parse session file ${path}: it has no session header`);
        expect(hint).toContain('Session file may be corrupted');
        return;
      }
      const { clonedSessionId, clonedSessionPath } = await state.json('clone', ID);
      expect(JSON.parse(readRawLines(clonedSessionPath)[0]!).id).toBe(clonedSessionId);
      expect(state.names()).toEqual([`${clonedSessionId}.jsonl`, `${ID}.jsonl`, 'sessions.json'].sort());
    },
  );
});

it('a file of which no line can be read is no session', async () => {
  const path = state.add([]);
  writeFileSync(path, Buffer.from([0x00, 0xff, 0x7b, 0x0a, 0x80, 0x0a]));
  const before = readFileSync(path);
  for (const [command, code] of [
    ['edit', 'EDIT_FAILED'],
    ['clone', 'CLONE_FAILED'],
  ] as const) {
    const { hint, ...error } = await state.refused(command, ID, '--strip-tools');
    expect(error).toEqual({
      code,
      reason: 'SESSION_UNSUPPORTED',
      message: `Failed to parse session file ${path}: none of its lines can be read`,
    });
    expect(hint).toContain('Session file may be corrupted');
  }
  expect(readFileSync(path)).toEqual(before);
});

describe('links', () => {
  it('a link to a session is refused with the name of the session, and both stay', async () => {
    const path = state.add(thirtyTurns());
    const link = join(state.home, 'link.jsonl');
    symlinkSync(path, link);
    const before = takeFileSnapshot(state.home);
    for (const flags of [[], ['--dry-run']]) {
      expect(await state.refused('edit', link, '--strip-tools', ...flags)).toEqual({
        code: 'EDIT_FAILED',
        reason: 'ELOOP',
        message: `Failed to write ${link}: it is a symbolic link`,
        hint: `Nothing was changed. Name the file that it leads to: ${path}`,
      });
    }
    expect(takeFileSnapshot(state.home)).toEqual(before);
    // Reading through it harms nobody.
    expect(await state.json('info', link)).toMatchObject({ sessionId: ID });
    expect(await state.json('clone', link, '-o', 'clone.jsonl')).toMatchObject({ sourceSessionId: ID });
  });

  it('a session whose place is taken by a link to its own backup keeps that backup', async () => {
    const path = state.add(thirtyTurns());
    const { backupPath } = await state.json('edit', ID, '--strip-tools');
    const original = read(backupPath);
    rmSync(path);
    symlinkSync(backupPath, path);
    await state.refused('edit', ID, '--strip-tools=extreme');
    expect(read(backupPath)).toBe(original);
  });

  it('a folder may be a link: the session, its backup and its entry are behind it', async () => {
    const path = state.add(thirtyTurns({ usage: true }), { entry: { totalTokens: 90_000 } });
    const elsewhere = join(state.home, 'elsewhere');
    renameSync(state.stateDir, elsewhere);
    symlinkSync(elsewhere, state.stateDir);
    const original = read(path);
    const { backupPath } = await state.json('edit', ID, '--strip-tools');
    expect(read(backupPath)).toBe(original);
    expect(state.entryOf(ID)).toMatchObject({ totalTokensFresh: false });
    await state.json('restore', ID);
    expect(read(path)).toBe(original);
  });

  it('a session with a second name keeps it: the backup is a copy, and the other name shows the old bytes', async () => {
    const path = state.add(thirtyTurns());
    const second = join(state.home, 'second.jsonl');
    linkSync(path, second);
    const original = read(path);
    const { backupPath } = await state.json('edit', ID, '--strip-tools');
    appendFileSync(second, 'written under the other name\n');
    expect(read(backupPath)).toBe(original);
    expect(statSync(backupPath).ino).not.toBe(statSync(second).ino);
    await state.json('restore', ID);
    expect(read(path)).toBe(original);
  });
});

describe('size and place', () => {
  it('lines far larger than any buffer, of which those that stay are the very same', LONG, async () => {
    const path = state.add(
      createSessionWithTurns(6, 2, { resultLength: 1_500_000, argumentLength: 100_000, textLength: 200_000 }),
    );
    const before = readRawLines(path);
    const original = read(path);
    await state.json('edit', ID, '--keep', '2', '--truncate', '50');
    const after = readRawLines(path);
    const kept = after.filter((line) => !/call_[0-4]_/.test(line) && !line.includes('Let me check'));
    expect(before.filter((line) => kept.includes(line))).toEqual(kept);
    expect(kept).toHaveLength(1 + 6 * 2 + 2);
    expect(readCalls(path)).toEqual(['call_4_0', 'call_4_1', 'call_5_0', 'call_5_1']);
    await state.json('restore', ID);
    expect(read(path) === original).toBe(true);
  });

  it('a session that is in no index is edited, and none is made for it', async () => {
    state.add(thirtyTurns(), { indexed: false });
    expect(await state.json('edit', ID, '--strip-tools')).toMatchObject({ changed: true });
    expect(state.names()).toEqual([`${ID}.jsonl`, `backups/${ID}.backup.1.jsonl`, `backups/${ID}.occ.json`]);
  });
});

describe('names', () => {
  it('a session whose entry names another file is edited there, and its entry is found', async () => {
    const path = state.add(thirtyTurns({ usage: true }), {
      entry: { totalTokens: 90_000, sessionFile: join(state.sessions, 'of-old.jsonl') },
    });
    const named = join(state.sessions, 'of-old.jsonl');
    renameSync(path, named);
    const original = read(named);
    const result = await state.json('edit', ID, '--strip-tools');
    expect(result).toMatchObject({
      sessionId: ID,
      changed: true,
      backupPath: join(state.sessions, 'backups', 'of-old.backup.1.jsonl'),
    });
    expect(readCalls(named)).toHaveLength(20);
    expect(state.entryOf(ID)).toMatchObject({ totalTokens: result.tokens.after, totalTokensFresh: false });
    await state.json('restore', ID);
    expect(read(named)).toBe(original);
    expect(state.entryOf(ID)).toMatchObject({ totalTokens: 90_000 });
  });

  it('the transcript of a topic is a session of its own, beside that without a topic', async () => {
    const path = state.add(thirtyTurns());
    const topic = state.add(thirtyTurns(), {
      sessionId: `${ID}-topic-42`,
      sessionKey: 'agent:main:telegram:group:-100123:topic:42',
      entry: { sessionId: ID, sessionFile: join(state.sessions, `${ID}-topic-42.jsonl`) },
    });
    const { backupPath } = await state.json('edit', `${ID}-topic-42`, '--strip-tools=extreme');
    expect(backupPath).toBe(join(state.sessions, 'backups', `${ID}-topic-42.backup.1.jsonl`));
    expect(readCalls(topic)).toEqual([]);
    expect(readCalls(path)).toHaveLength(30);
    await state.json('edit', 'agent:main:telegram:group:-100123:topic:42', '--keep', '0');
    expect(await state.refused('restore', path)).toMatchObject({ code: 'RESTORE_FAILED' });
    expect(await state.json('restore', topic)).toMatchObject({ restoredFrom: backupPath });
    expect(readCalls(topic)).toHaveLength(30);
  });

  it('by key, by label and by path the same session is meant', async () => {
    const path = state.add(thirtyTurns(), { sessionKey: 'agent:main:main', entry: { label: 'Greenhouse' } });
    for (const name of [
      'agent:main:main',
      'greenhouse',
      path,
      `.openclaw/agents/main/sessions/${ID}.jsonl`,
    ]) {
      expect(await state.json('edit', name, '--strip-tools', '--dry-run')).toMatchObject({ sessionId: ID });
    }
  });

  it("another agent's session is edited in that agent's folder", async () => {
    const main = state.add(thirtyTurns());
    const other = state.add(thirtyTurns({ usage: true }), {
      agentId: 'other',
      sessionId: `${ID.slice(0, -1)}2`,
      sessionKey: 'agent:other:main',
      entry: { totalTokens: 90_000 },
    });
    const before = readFileSync(main);
    await state.json('edit', '--strip-tools', '--agent', 'other');
    expect(await state.json('restore', 'agent:other:main')).toMatchObject({
      restoredFrom: join(dirname(other), 'backups', `${ID.slice(0, -1)}2.backup.1.jsonl`),
    });
    expect(readCalls(other)).toHaveLength(30);
    expect(readFileSync(main).equals(before)).toBe(true);
    expect(await state.refused('edit', '--strip-tools', '--agent', 'nobody')).toMatchObject({
      code: 'AGENT_NOT_FOUND',
      hint: expect.stringContaining('main, other'),
    });
  });

  it('a session outside of any folder of agents has its backup beside it', async () => {
    const folder = join(state.home, 'a folder');
    mkdirSync(folder);
    const path = join(folder, 'mine.jsonl');
    writeFileSync(path, readFileSync(state.add(createSessionWithTurns(3))));
    const original = read(path);
    const { backupPath } = await state.json('edit', path, '--keep', '0');
    expect(backupPath).toBe(join(folder, 'backups', 'mine.backup.1.jsonl'));
    await state.json('restore', path);
    expect(read(path)).toBe(original);
  });
});
