import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runOccWithFault } from '../setup/faults.ts';
import { cleanEnvironment, OCC_LAUNCHER } from '../setup/run-occ.ts';
import { createSessionWithTurns } from '../setup/sessions.ts';
import { takeSnapshot } from './snapshot.ts';
import { ID, makeStateFolder, type StateFolder, thirtyTurns } from './state-folder.ts';
import { callsOfTurns, readCalls, readJsonLines, readRawLines, readSpoken } from './told.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let state: StateFolder;
let path: string;
let original: Buffer;
beforeEach(() => {
  state = makeStateFolder();
  path = state.add(thirtyTurns());
  original = readFileSync(path);
});

describe('occ clone', () => {
  it('TC-4.1a creates a new session under a new id', async () => {
    const { clonedSessionId, clonedSessionPath } = await state.json('clone', ID);
    expect(clonedSessionId).toMatch(UUID);
    expect(clonedSessionId).not.toBe(ID);
    expect(clonedSessionPath).toBe(join(state.sessions, `${clonedSessionId}.jsonl`));
    expect(readJsonLines(clonedSessionPath)[0].id).toBe(clonedSessionId);
    expect(statSync(clonedSessionPath).mode & 0o777).toBe(0o600);
    expect(readFileSync(path).equals(original)).toBe(true);
    const second = await state.json('clone', ID);
    expect(second.clonedSessionId).not.toBe(clonedSessionId);
  });

  it('TC-4.2a preserves what was said', async () => {
    for (const flags of [[], ['--strip-tools'], ['--strip-tools=extreme']]) {
      const { clonedSessionPath } = await state.json('clone', ID, ...flags);
      expect(readSpoken(clonedSessionPath)).toEqual(readSpoken(path));
    }
  });

  it('TC-4.3a the header says what it is a clone of, and when it was made', async () => {
    const from = Date.now();
    const { clonedSessionId, clonedSessionPath } = await state.json('clone', ID);
    const { id, clonedFrom, clonedAt, ...rest } = readJsonLines(clonedSessionPath)[0];
    expect({ id, clonedFrom }).toEqual({ id: clonedSessionId, clonedFrom: ID });
    expect(new Date(clonedAt).toISOString()).toBe(clonedAt);
    expect(Date.parse(clonedAt)).toBeGreaterThanOrEqual(from);
    const { id: _, ...source } = readJsonLines(path)[0];
    expect(rest).toEqual(source);
  });

  it('TC-4.4a leaves no partial file on failure', async () => {
    const output = join(state.home, 'out', 'clone.jsonl');
    mkdirSync(join(state.home, 'out'));
    const before = takeSnapshot(state.sessions);
    // 8 KB may be written, and the session has more.
    const words = [process.execPath, OCC_LAUNCHER, 'clone', ID, '-o', output, '--json'];
    const { status, stdout, stderr } = spawnSync('bash', ['-c', 'ulimit -f 8; exec "$@"', 'bash', ...words], {
      encoding: 'utf8',
      env: cleanEnvironment({ HOME: state.home }),
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(JSON.parse(stderr).error).toEqual({
      code: 'CLONE_FAILED',
      reason: 'EFBIG',
      message: expect.stringContaining(`Failed to write ${output}: EFBIG`),
      hint: expect.stringContaining('Check disk space and permissions'),
    });
    expect(readdirSync(join(state.home, 'out'))).toEqual([]);
    expect(takeSnapshot(state.sessions)).toEqual(before);
  });

  it('a clone that cannot be registered is taken away again', async () => {
    const index = join(state.sessions, 'sessions.json');
    const run = await runOccWithFault(
      ['clone', ID, '--json'],
      { at: 1, strike: 'ENOSPC', ops: ['rename'], under: index },
      { env: { HOME: state.home } },
    );
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain('sessions.json');
    expect(state.names()).toEqual([`${ID}.jsonl`, 'sessions.json']);
  });

  it.each([
    ['a file where a folder is needed', () => path],
    ['a folder that is not there', () => join(state.home, 'missing', 'folder')],
  ])('%s is refused by its name, and nothing is made', async (_, folder) => {
    const output = join(folder(), 'clone.jsonl');
    const before = takeSnapshot(state.home);
    expect(await state.refused('clone', ID, '-o', output)).toEqual({
      code: 'USAGE',
      message: `Cannot write ${output}: there is no folder ${folder()}`,
      hint: 'Create the folder first, or name another file with --output',
    });
    expect(takeSnapshot(state.home)).toEqual(before);
  });

  it('TC-4.5a writes to the path that is asked for, and into no index', async () => {
    const output = join(state.home, 'backup.jsonl');
    const index = readFileSync(join(state.sessions, 'sessions.json'));
    const result = await state.json('clone', ID, '-o', output);
    expect(result.clonedSessionPath).toBe(output);
    expect(readJsonLines(output)[0].id).toBe(result.clonedSessionId);
    expect(readFileSync(join(state.sessions, 'sessions.json'))).toEqual(index);
    expect(state.names()).toEqual([`${ID}.jsonl`, 'sessions.json']);
  });

  it('TC-4.6a prints the result as JSON, with these keys and no others', async () => {
    const result = await state.json('clone', ID, '--strip-tools');
    const size = statSync(result.clonedSessionPath).size;
    expect(result).toEqual({
      success: true,
      mode: 'clone',
      sourceSessionId: ID,
      foundBy: 'argument',
      sourceSessionKey: `agent:main:test:${ID}`,
      agentId: 'main',
      clonedSessionId: expect.stringMatching(UUID),
      clonedSessionPath: join(state.sessions, `${result.clonedSessionId}.jsonl`),
      sessionKey: `agent:main:clone:${result.clonedSessionId}`,
      statistics: {
        messagesOriginal: 120,
        messagesCloned: 110,
        toolCallsOriginal: 30,
        toolCallsRemoved: 10,
        toolCallsTruncated: 10,
        toolCallsPreserved: 10,
        sizeOriginal: original.length,
        sizeCloned: size,
        reductionPercent: Math.round((1 - size / original.length) * 100),
      },
      tokens: { before: expect.any(Number), after: expect.any(Number), basis: 'estimated' },
      resumeCommand: `openclaw agent --session-id ${result.clonedSessionId} --message "..."`,
    });
    expect(result.tokens.after).toBeLessThan(result.tokens.before);
  });

  it('TC-4.7a without stripping everything is as it was but the header', async () => {
    const { clonedSessionPath, statistics, tokens } = await state.json('clone', ID);
    const [, ...cloned] = readRawLines(clonedSessionPath);
    const [, ...source] = readRawLines(path);
    expect(cloned).toEqual(source);
    expect(statistics).toMatchObject({ messagesCloned: 120, toolCallsRemoved: 0, toolCallsPreserved: 30 });
    expect(tokens.after).toBe(tokens.before);
    const stripped = await state.json('clone', ID, '--strip-tools');
    expect(readCalls(stripped.clonedSessionPath)).toEqual(callsOfTurns(10, 30));
  });

  it('TC-4.8a finds the session by the beginning of its id', async () => {
    state.add(createSessionWithTurns(1), { sessionId: 'def67890-0000-4000-8000-000000000002' });
    expect(await state.json('clone', 'abc123')).toMatchObject({ sourceSessionId: ID });
  });

  it('TC-4.9a registers the clone in the index, beside what is there', async () => {
    const index = JSON.parse(readFileSync(join(state.sessions, 'sessions.json'), 'utf8'));
    const { clonedSessionId, sessionKey } = await state.json('clone', ID);
    const after = JSON.parse(readFileSync(join(state.sessions, 'sessions.json'), 'utf8'));
    const key = `agent:main:clone:${clonedSessionId}`;
    expect(sessionKey).toBe(key);
    expect(after).toEqual({
      ...index,
      [key]: { sessionId: clonedSessionId, updatedAt: expect.any(Number) },
    });
    expect(await state.json('info', key)).toMatchObject({ sessionId: clonedSessionId });
    expect((await state.json('list'))[0]).toMatchObject({ sessionId: clonedSessionId, sessionKey: key });
  });

  it('TC-4.10a --no-register leaves the index as it is', async () => {
    const index = readFileSync(join(state.sessions, 'sessions.json'));
    const result = await state.json('clone', ID, '--no-register');
    expect(existsSync(result.clonedSessionPath)).toBe(true);
    expect(readFileSync(join(state.sessions, 'sessions.json'))).toEqual(index);
    expect(result).not.toHaveProperty('sessionKey');
    // OpenClaw does not know it, so that no command would resume it.
    expect(result).not.toHaveProperty('resumeCommand');
  });
});
