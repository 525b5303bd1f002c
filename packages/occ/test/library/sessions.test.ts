/** Operations on sessions, for callers in the same process. */
import { appendFileSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createBackup,
  describeSession,
  executeClone,
  executeEdit,
  executeRestore,
  findLatestBackup,
  getCurrentSession,
  getSessionPath,
  listSessions,
  loadConfiguration,
  resolveSession,
  resolveSessionId,
  restoreFromBackup,
} from '../../src/index.ts';
import { createSessionWithTurns, formatLines, writeSession } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const ID = 'abc12345-0000-4000-8000-000000000001';
const OTHER = 'abd00000-0000-4000-8000-000000000002';

let stateDir: string;
let sessions: string;
let path: string;
let original: string;
beforeEach(() => {
  stateDir = makeTempFolder();
  sessions = join(stateDir, 'agents', 'main', 'sessions');
  path = writeSession(stateDir, 'main', ID, createSessionWithTurns(30, 1, { resultLength: 900 }));
  original = read();
  // What the functions without options go by.
  process.env.OPENCLAW_STATE_DIR = stateDir;
});
afterEach(() => {
  delete process.env.OPENCLAW_STATE_DIR;
});

const read = (file = path) => readFileSync(file, 'utf8');
const backup = (number: number) => join(sessions, 'backups', `${ID}.backup.${number}.jsonl`);

describe('executeEdit', () => {
  it('cleans by the default preset, and resolves to what the command prints', async () => {
    expect(await executeEdit({ stateDir, sessionId: 'abc' })).toEqual({
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
        reductionPercent: expect.any(Number),
      },
      tokens: { before: expect.any(Number), after: expect.any(Number), basis: 'estimated' },
      changed: true,
    });
  });

  it("takes values of one's own, and the current session where none is named", async () => {
    const result = await executeEdit({
      stateDir,
      toolRemoval: { keepTurnsWithTools: 2, truncatePercent: 0 },
    });
    expect(result).toMatchObject({
      sessionId: ID,
      statistics: { toolCallsRemoved: 28, toolCallsTruncated: 0 },
    });
  });

  it('plans only, where that is asked for', async () => {
    const result = await executeEdit({ stateDir, sessionId: ID, dryRun: true });
    expect(result).toMatchObject({ changed: false, dryRun: true, statistics: { toolCallsRemoved: 10 } });
    expect(read()).toBe(original);
  });

  it('goes by the environment that it is given and not by that of the process', async () => {
    const elsewhere = makeTempFolder();
    const there = writeSession(elsewhere, 'main', OTHER, createSessionWithTurns(3));
    const result = await executeEdit({
      env: { OPENCLAW_STATE_DIR: elsewhere },
      toolRemoval: { preset: 'extreme' },
    });
    expect(result.sessionId).toBe(OTHER);
    expect(read(there)).not.toContain('toolCall');
    expect(read()).toBe(original);
  });

  it('knows the presets and the default of the configuration', async () => {
    const cwd = makeTempFolder();
    writeFileSync(
      join(cwd, '.occrc'),
      'defaultPreset=mine\ncustomPresets.mine.keepTurnsWithTools=4\ncustomPresets.mine.truncatePercent=0\n',
    );
    expect(await executeEdit({ stateDir, cwd, sessionId: ID })).toMatchObject({
      statistics: { toolCallsRemoved: 26, toolCallsPreserved: 4 },
    });
  });

  it.each([
    [{ sessionId: 'nobody' }, 'SESSION_NOT_FOUND'],
    [{ sessionId: ID, toolRemoval: { preset: 'unheard-of' } }, 'UNKNOWN_PRESET'],
    [{ agentId: 'nobody' }, 'AGENT_NOT_FOUND'],
  ])('%j is refused with %s', async (options, code) => {
    await expect(executeEdit({ stateDir, ...options })).rejects.toMatchObject({ code });
    expect(read()).toBe(original);
  });

  it('fails with EDIT_FAILED and leaves the session where the disk does not play along', async () => {
    mkdirSync(join(sessions, 'backups', `${ID}.occ.json`, 'in the way'), { recursive: true });
    await expect(executeEdit({ stateDir, sessionId: ID })).rejects.toMatchObject({
      name: 'EditOperationError',
      code: 'EDIT_FAILED',
      cause: expect.any(Error),
    });
    expect(read()).toBe(original);
  });
});

describe('executeClone', () => {
  it('copies under a new id, cleaned where that is asked for', async () => {
    const exact = await executeClone({ stateDir, sourceSessionId: ID });
    expect(exact).toMatchObject({ mode: 'clone', sourceSessionId: ID, statistics: { toolCallsRemoved: 0 } });
    expect(read(exact.clonedSessionPath).split('\n').slice(1)).toEqual(original.split('\n').slice(1));
    const cleaned = await executeClone({ stateDir, sourceSessionId: ID, toolRemoval: {} });
    expect(cleaned.statistics.toolCallsRemoved).toBe(10);
    expect(cleaned.resumeCommand).toContain(cleaned.clonedSessionId);
  });

  it('a relative path is from the folder that is given', async () => {
    const cwd = makeTempFolder();
    const { clonedSessionPath } = await executeClone({
      stateDir,
      cwd,
      sourceSessionId: ID,
      outputPath: 'here.jsonl',
      noRegister: true,
    });
    expect(clonedSessionPath).toBe(join(cwd, 'here.jsonl'));
    await expect(
      executeClone({ stateDir, cwd, sourceSessionId: ID, outputPath: 'here.jsonl' }),
    ).rejects.toMatchObject({ code: 'CLONE_FAILED' });
  });
});

describe('backups', () => {
  it('createBackup copies the session and leaves it, findLatestBackup finds it, restoreFromBackup puts it back', async () => {
    expect(await findLatestBackup(ID)).toBeNull();
    const { ino } = statSync(path);
    expect(await createBackup(path)).toBe(backup(1));
    expect(await findLatestBackup(ID)).toBe(backup(1));
    expect(read(backup(1))).toBe(original);
    expect(statSync(backup(1)).mode & 0o777).toBe(0o600);
    expect(statSync(path).ino).toBe(ino);
    appendFileSync(
      path,
      '{"type":"message","timestamp":9,"message":{"role":"assistant","content":"More."}}\n',
    );
    expect(read(backup(1))).toBe(original);
    await executeEdit({ stateDir, sessionId: ID });
    expect(await findLatestBackup('abc')).toBe(backup(2));
    await restoreFromBackup(ID);
    expect(read()).toBe(
      `${original}{"type":"message","timestamp":9,"message":{"role":"assistant","content":"More."}}\n`,
    );
  });

  it('createBackup keeps five, numbered on', async () => {
    for (let number = 1; number <= 7; number++) expect(await createBackup(path)).toBe(backup(number));
    expect(await findLatestBackup(ID)).toBe(backup(7));
    expect(() => statSync(backup(2))).toThrow();
    expect(read(backup(3))).toBe(original);
  });

  it('a backup made by hand can be restored after an edit, with what was said since', async () => {
    await createBackup(path);
    await executeEdit({ stateDir, sessionId: ID });
    const said = '{"type":"message","timestamp":9,"message":{"role":"assistant","content":"More."}}\n';
    appendFileSync(path, said);
    expect(await executeRestore({ stateDir, sessionId: ID, backup: 1 })).toMatchObject({
      mode: 'restore',
      restoredFrom: backup(1),
      backupPath: backup(3),
      linesKept: 1,
    });
    expect(read()).toBe(original + said);
  });

  it('without one a restore is refused', async () => {
    await expect(restoreFromBackup(ID)).rejects.toMatchObject({
      name: 'RestoreError',
      code: 'RESTORE_FAILED',
      message: `No backup found for session '${ID}'`,
    });
  });

  it('of what is no session: refused', async () => {
    await expect(createBackup(join(sessions, 'nothing.jsonl'))).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await createBackup(path);
    await expect(createBackup(backup(1))).rejects.toMatchObject({ code: 'SESSION_UNSUPPORTED' });
  });

  it('of a session of pi is where pi does not look', async () => {
    const folder = join(makeTempFolder(), '--work--');
    mkdirSync(folder);
    const pi = join(folder, `2026-01-01T00-00-00-000Z_${ID}.jsonl`);
    writeFileSync(pi, formatLines(createSessionWithTurns(1, 1, { tree: true, sessionId: ID })));
    expect(await createBackup(pi)).toBe(
      join(folder, 'backups', `2026-01-01T00-00-00-000Z_${ID}.backup.1.jsonl`),
    );
  });
});

describe('finding sessions', () => {
  beforeEach(() => {
    const other = writeSession(stateDir, 'main', OTHER, createSessionWithTurns(1));
    utimesSync(path, 1000, 1000);
    utimesSync(other, 2000, 2000);
    writeSession(stateDir, 'second', `${ID.slice(0, -1)}9`, createSessionWithTurns(1));
  });

  it('resolveSessionId: full, beginning, current; ambiguous and unknown ones are errors', async () => {
    expect(await resolveSessionId(ID)).toBe(ID);
    expect(await resolveSessionId('abc')).toBe(ID);
    expect(await resolveSessionId(undefined)).toBe(OTHER);
    expect(await resolveSessionId('abc', 'second')).toBe(`${ID.slice(0, -1)}9`);
    await expect(resolveSessionId('ab')).rejects.toMatchObject({
      code: 'AMBIGUOUS_SESSION',
      details: { partial: 'ab', matches: expect.arrayContaining([ID, OTHER]) },
    });
    await expect(resolveSessionId('zzz')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('without a word from the environment the configuration says where', async () => {
    delete process.env.OPENCLAW_STATE_DIR;
    const cwd = makeTempFolder();
    writeFileSync(join(cwd, '.occrc'), `stateDirectory=${stateDir}\ndefaultAgentId=second\n`);
    const before = process.cwd();
    process.chdir(cwd);
    try {
      expect(await resolveSessionId(undefined)).toBe(`${ID.slice(0, -1)}9`);
      expect(await getCurrentSession('main')).toBe(OTHER);
      expect(await findLatestBackup('abc')).toBeNull();
    } finally {
      process.chdir(before);
    }
  });

  it('getCurrentSession: the most recently active one of an agent', async () => {
    expect(await getCurrentSession('main')).toBe(OTHER);
    expect(await getCurrentSession('second')).toBe(`${ID.slice(0, -1)}9`);
    mkdirSync(join(stateDir, 'agents', 'empty', 'sessions'), { recursive: true });
    await expect(getCurrentSession('empty')).rejects.toMatchObject({
      code: 'NO_SESSIONS',
      details: { agentId: 'empty' },
    });
  });

  it('getSessionPath: where a session is, or would be; an id cannot lead out of its folder', () => {
    expect(getSessionPath(ID, 'main')).toBe(path);
    expect(getSessionPath('new', 'second')).toBe(join(stateDir, 'agents/second/sessions/new.jsonl'));
    for (const id of ['../../escape', '/etc/passwd', 'a/b', 'a\0b', '']) {
      expect(() => getSessionPath(id, 'main'), id).toThrow();
    }
    for (const agent of ['../main', 'a/b', '..']) {
      expect(() => getSessionPath(ID, agent), agent).toThrow();
    }
  });

  it('listSessions, resolveSession and describeSession give what the commands print', async () => {
    const scope = { env: process.env, cwd: stateDir };
    expect((await listSessions(scope)).map(({ sessionId }) => sessionId)).toEqual([OTHER, ID]);
    expect(await resolveSession(scope, 'abc')).toMatchObject({
      session: { sessionId: ID },
      foundBy: 'argument',
    });
    const { info } = await describeSession({
      scope,
      sessionId: ID,
      presets: { all: { keepTurnsWithTools: 0, truncatePercent: 0 } },
    });
    expect(info).toMatchObject({
      sessionId: ID,
      toolCalls: { total: 30 },
      presets: { all: { toolCallsRemoved: 30 } },
    });
  });
});

describe('loadConfiguration', () => {
  it('has a value for every setting', async () => {
    expect(await loadConfiguration({ cwd: stateDir, env: { HOME: stateDir } })).toEqual({
      stateDirectory: expect.stringContaining(stateDir),
      defaultAgentId: 'main',
      defaultPreset: 'default',
      customPresets: {},
      outputFormat: 'human',
      verboseOutput: false,
      keepOriginal: true,
    });
  });

  it('overrides win over the environment, that over files', async () => {
    const cwd = makeTempFolder();
    writeFileSync(join(cwd, 'occ.config.json'), '{"defaultPreset":"aggressive","outputFormat":"json"}');
    const env = { HOME: cwd, OCC_DEFAULT_PRESET: 'extreme' };
    expect(await loadConfiguration({ cwd, env: { HOME: cwd } })).toMatchObject({
      defaultPreset: 'aggressive',
      outputFormat: 'json',
    });
    expect(await loadConfiguration({ cwd, env })).toMatchObject({ defaultPreset: 'extreme' });
    expect(await loadConfiguration({ cwd, env, overrides: { defaultPreset: 'default' } })).toMatchObject({
      defaultPreset: 'default',
    });
  });
});
