import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { listDiskCalls } from '../setup/faults.ts';
import { createSessionWithTurns } from '../setup/sessions.ts';
import { ID, makeStateFolder, type StateFolder, thirtyTurns } from './state-folder.ts';
import { readJsonLines, readRawLines, readSpoken } from './told.ts';

let state: StateFolder;
let path: string;
let original: Buffer;
beforeEach(() => {
  state = makeStateFolder();
  path = state.add(thirtyTurns());
  original = readFileSync(path);
});

const backup = (number: number, id = ID) => join(state.sessions, 'backups', `${id}.backup.${number}.jsonl`);

describe('occ edit', () => {
  it('TC-3.1a modifies the session in place', async () => {
    const { changed } = await state.json('edit', ID, '--strip-tools');
    expect(changed).toBe(true);
    expect(readFileSync(path).equals(original)).toBe(false);
    expect(statSync(path).size).toBeLessThan(original.length);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await state.json('list')).toMatchObject([{ sessionId: ID, path }]);
  });

  it('TC-3.2a makes the backup before the session is modified, with its bytes', async () => {
    const { run, calls } = await listDiskCalls(
      ['edit', ID, '--strip-tools'],
      { under: state.home },
      { env: { HOME: state.home } },
    );
    expect(run.code).toBe(0);
    expect(readFileSync(backup(1)).equals(original)).toBe(true);
    expect(statSync(backup(1)).mode & 0o777).toBe(0o600);
    const made = calls.indexOf(`link ${backup(1)}`);
    const swapped = calls.indexOf(`rename ${path}`);
    expect(made).toBeGreaterThanOrEqual(0);
    expect(swapped).toBeGreaterThan(made);
    expect(calls.slice(0, swapped).filter((call) => call === `write ${path}`)).toEqual([]);
  });

  it('TC-3.3a preserves what was said, and every line without tools byte for byte', async () => {
    const spoken = readSpoken(path);
    const plain = readRawLines(path).filter((line) => !/"toolCall|"toolResult/.test(line));
    await state.json('edit', ID, '--strip-tools=extreme');
    expect(readSpoken(path)).toEqual(spoken);
    const after = readRawLines(path);
    expect(after.filter((line) => plain.includes(line))).toEqual(plain);
  });

  it('TC-3.4a a failed edit leaves the original', async () => {
    // The record of what is about to happen cannot be written: by then everything is ready for the swap.
    mkdirSync(join(state.sessions, 'backups', `${ID}.occ.json`, 'in the way'), { recursive: true });
    const names = state.names();
    const { ino } = statSync(path);
    const error = await state.refused('edit', ID, '--strip-tools');
    expect(error.code).toBe('EDIT_FAILED');
    expect(error.message).toContain(`Failed to write ${path}: `);
    expect(error.hint).toContain('Check disk space and permissions');
    expect(readFileSync(path).equals(original)).toBe(true);
    expect(statSync(path).ino).toBe(ino);
    expect(state.names()).toEqual(names);
  });

  it('TC-3.5a prints the result as JSON, with these keys and no others', async () => {
    const result = await state.json('edit', ID, '--strip-tools');
    expect(result).toEqual({
      success: true,
      mode: 'edit',
      sessionId: ID,
      foundBy: 'argument',
      sessionKey: `agent:main:test:${ID}`,
      agentId: 'main',
      backupPath: backup(1),
      statistics: {
        messagesOriginal: 120,
        messagesAfter: 110,
        toolCallsOriginal: 30,
        toolCallsRemoved: 10,
        toolCallsTruncated: 10,
        toolCallsPreserved: 10,
        sizeOriginal: original.length,
        sizeAfter: statSync(path).size,
        reductionPercent: Math.round((1 - statSync(path).size / original.length) * 100),
      },
      tokens: { before: expect.any(Number), after: expect.any(Number), basis: 'estimated' },
      changed: true,
    });
    expect(result.tokens.after).toBeLessThan(result.tokens.before);
  });

  it('TC-3.6a finds the session by the beginning of its id', async () => {
    state.add(createSessionWithTurns(1), { sessionId: 'def67890-0000-4000-8000-000000000002' });
    expect(await state.json('edit', 'abc123', '--strip-tools')).toMatchObject({
      sessionId: ID,
      changed: true,
    });
  });

  it('TC-3.7a leaves the session id as it was, so that the session can be resumed', async () => {
    const [header] = readRawLines(path);
    const index = readFileSync(join(state.sessions, 'sessions.json'), 'utf8');
    await state.json('edit', ID, '--strip-tools');
    expect(readRawLines(path)[0]).toBe(header);
    expect(readJsonLines(path)[0].id).toBe(ID);
    expect(readFileSync(join(state.sessions, 'sessions.json'), 'utf8')).toBe(index);
  });

  it('TC-3.8a takes the most recently active session when none is named, and says which', async () => {
    const newer = 'bbb00000-0000-4000-8000-000000000002';
    const oldest = 'aaa00000-0000-4000-8000-000000000003';
    const others = [path, state.add(thirtyTurns(), { sessionId: oldest })];
    const newest = state.add(thirtyTurns(), { sessionId: newer });
    utimesSync(others[0]!, 2000, 2000);
    utimesSync(others[1]!, 1000, 1000);
    utimesSync(newest, 3000, 3000);
    const bytes = others.map((other) => readFileSync(other));
    const { code, stdout } = await state.occ('edit', '--strip-tools');
    expect(code).toBe(0);
    expect(stdout).toContain(`Session edited: ${newer}\n`);
    expect(stdout).toContain('  Chosen: the most recently active session of agent main');
    expect(readFileSync(newest).length).toBeLessThan(original.length);
    expect(others.map((other) => readFileSync(other))).toEqual(bytes);
    // A clean is no activity: the same session stays the current one.
    expect(await state.json('list')).toMatchObject([
      { sessionId: newer },
      { sessionId: ID },
      { sessionId: oldest },
    ]);
  });

  it('TC-3.8b says so when there is no session at all', async () => {
    const empty = makeStateFolder();
    expect(await empty.refused('edit', '--strip-tools')).toMatchObject({
      code: 'NO_SESSIONS',
      message: "No sessions found for agent 'main'",
      hint: expect.any(String),
    });
    const { code, stdout, stderr } = await empty.occ('edit', '--strip-tools');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Error: No sessions found for agent 'main'\n {2}\S/);
  });
});

describe('backups of occ edit', () => {
  const old = (number: number) => {
    mkdirSync(dirname(backup(number)), { recursive: true });
    writeFileSync(backup(number), `{"type":"session","id":"${ID}","backup":${number}}\n`);
  };
  const kept = () =>
    state
      .names()
      .filter((name) => name.includes('.backup.'))
      .map((name) => basename(name));

  it('TC-6.1a one is made by each edit that changes something', async () => {
    expect(kept()).toEqual([]);
    const { backupPath } = await state.json('edit', ID, '--strip-tools');
    expect(backupPath).toBe(backup(1));
    expect(kept()).toEqual([basename(backup(1))]);
    const cleaned = readFileSync(path);
    await state.json('edit', ID, '--strip-tools=extreme');
    expect(readFileSync(backup(1)).equals(original)).toBe(true);
    expect(readFileSync(backup(2)).equals(cleaned)).toBe(true);
  });

  it('TC-6.2a are numbered on from those that are there', async () => {
    old(1);
    old(2);
    const { backupPath } = await state.json('edit', ID, '--strip-tools');
    expect(backupPath).toBe(backup(3));
    expect(readFileSync(backup(3)).equals(original)).toBe(true);
    expect(readJsonLines(backup(2))).toEqual([{ type: 'session', id: ID, backup: 2 }]);
  });

  it('TC-6.5a at most five are kept, the oldest goes', async () => {
    for (const number of [1, 2, 3, 4, 5]) old(number);
    await state.json('edit', ID, '--strip-tools');
    expect(kept()).toEqual([2, 3, 4, 5, 6].map((number) => basename(backup(number))));
    expect(readFileSync(backup(6)).equals(original)).toBe(true);
  });

  it('TC-6.5b none goes below that number', async () => {
    for (const number of [1, 2, 3]) old(number);
    await state.json('edit', ID, '--strip-tools');
    expect(kept()).toEqual([1, 2, 3, 4].map((number) => basename(backup(number))));
  });

  it('those of another session are no part of it', async () => {
    const other = `${ID}-topic-7`;
    const foreign = backup(5, other);
    mkdirSync(dirname(foreign));
    writeFileSync(foreign, 'not ours\n');
    await state.json('edit', path, '--strip-tools');
    expect(existsSync(backup(1))).toBe(true);
    expect(readFileSync(foreign, 'utf8')).toBe('not ours\n');
  });
});
