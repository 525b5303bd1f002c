/** Where clones go, how they are resumed, and clones of pi's and Claude Code's sessions. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { beforeEach, describe, expect, it } from 'vitest';
import { runOccHere } from '../setup/run-occ.ts';
import { createSessionWithTurns, formatLines } from '../setup/sessions.ts';
import { takeSnapshot } from './snapshot.ts';
import { ID, type Json, makeStateFolder, type StateFolder, thirtyTurns } from './state-folder.ts';
import { readCalls, readJsonLines, readRawLines } from './told.ts';

let state: StateFolder;
let path: string;
beforeEach(() => {
  state = makeStateFolder();
  path = state.add(thirtyTurns());
});

describe('--output', () => {
  it('a relative path is resolved against the working folder', async () => {
    mkdirSync(join(state.home, 'kept/here'), { recursive: true });
    const { clonedSessionPath } = await state.json('clone', ID, '--output', 'kept/here/clone.jsonl');
    expect(clonedSessionPath).toBe(join(state.home, 'kept/here/clone.jsonl'));
    expect(statSync(clonedSessionPath).mode & 0o777).toBe(0o600);
  });

  it('~ is the home folder', async () => {
    const { clonedSessionPath } = await state.json('clone', ID, '-o', '~/clone.jsonl');
    expect(clonedSessionPath).toBe(join(state.home, 'clone.jsonl'));
    expect(existsSync(clonedSessionPath)).toBe(true);
  });

  it.each([
    ['a file', (target: string) => writeFileSync(target, 'mine\n')],
    ['a folder', (target: string) => mkdirSync(target)],
  ])('%s in that place is left alone', async (_, put) => {
    const target = join(state.home, 'taken.jsonl');
    put(target);
    const before = takeSnapshot(state.home);
    for (const flags of [[], ['--dry-run']]) {
      expect(await state.refused('clone', ID, '-o', target, ...flags)).toEqual({
        code: 'CLONE_FAILED',
        message: `Failed to write ${target}: it already exists`,
        hint: expect.stringContaining('--output'),
      });
    }
    expect(takeSnapshot(state.home)).toEqual(before);
  });

  it('the session itself is refused as a target', async () => {
    const before = readFileSync(path);
    expect(await state.refused('clone', ID, '-o', path)).toMatchObject({ code: 'CLONE_FAILED' });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('what it names is no session of OpenClaw, so that no resume command is promised', async () => {
    const result = await state.json('clone', ID, '-o', join(state.home, 'clone.jsonl'));
    expect(result).not.toHaveProperty('resumeCommand');
    expect(result).not.toHaveProperty('sessionKey');
  });
});

describe('the index', () => {
  it('is made if it is missing', async () => {
    rmSync(join(state.sessions, 'sessions.json'));
    const { clonedSessionId, sessionKey } = await state.json('clone', ID);
    const text = readFileSync(join(state.sessions, 'sessions.json'), 'utf8');
    expect(JSON.parse(text)).toEqual({
      [sessionKey]: { sessionId: clonedSessionId, updatedAt: expect.any(Number) },
    });
    expect(statSync(join(state.sessions, 'sessions.json')).mode & 0o777).toBe(0o600);
  });

  it("that of the session's own agent is meant, also when the session is named by its path", async () => {
    const other = state.add(thirtyTurns(), { agentId: 'other', sessionId: `${ID.slice(0, -1)}2` });
    const byPath = await state.json('clone', other);
    const byAgent = await state.json('clone', '--agent', 'other');
    for (const { sessionKey, clonedSessionId, clonedSessionPath } of [byPath, byAgent]) {
      expect(sessionKey).toBe(`agent:other:clone:${clonedSessionId}`);
      expect(dirname(clonedSessionPath)).toBe(dirname(other));
    }
    const index = JSON.parse(readFileSync(join(dirname(other), 'sessions.json'), 'utf8'));
    expect(Object.keys(index)).toHaveLength(3);
    expect(Object.keys(JSON.parse(readFileSync(join(state.sessions, 'sessions.json'), 'utf8')))).toHaveLength(
      1,
    );
  });

  it("a session outside of any agent's folder is in none: the clone stands beside it, without resume command", async () => {
    const lone = join(state.home, 'lone.jsonl');
    writeFileSync(lone, readFileSync(path));
    const result = await state.json('clone', lone);
    expect(dirname(result.clonedSessionPath)).toBe(state.home);
    expect(result).not.toHaveProperty('sessionKey');
    expect(result).not.toHaveProperty('resumeCommand');
    expect(existsSync(join(state.home, 'sessions.json'))).toBe(false);
  });

  it('one that does not parse is an error that names it, and there is no clone', async () => {
    writeFileSync(join(state.sessions, 'sessions.json'), '{"half');
    const before = takeSnapshot(state.home);
    const error = await state.refused('clone', ID);
    expect(error.message).toContain('sessions.json');
    expect(takeSnapshot(state.home)).toEqual(before);
  });
});

describe('odd sessions', () => {
  it('lines appended by others are in the clone up to the last whole one, and the clone can go on', async () => {
    appendFileSync(
      path,
      '{"type":"message","timestamp":9,"message":{"role":"user","content":"no line end"}}',
    );
    const { clonedSessionPath } = await state.json('clone', ID);
    expect(readFileSync(clonedSessionPath, 'utf8').endsWith('"no line end"}}\n')).toBe(true);
    expect(readRawLines(clonedSessionPath).slice(1)).toEqual(readRawLines(path).slice(1));
  });

  it('broken lines come along as they are', async () => {
    appendFileSync(path, 'no JSON at all\n{"type":"of the future","n":1.0}\n\n');
    const { clonedSessionPath } = await state.json('clone', ID, '--strip-tools');
    expect(readFileSync(clonedSessionPath, 'utf8')).toMatch(
      /\nno JSON at all\n\{"type":"of the future","n":1\.0\}\n\n$/,
    );
  });

  it('a clone of a clone names the clone', async () => {
    const first = await state.json('clone', ID);
    const second = await state.json('clone', first.clonedSessionId);
    expect(readJsonLines(second.clonedSessionPath)[0]).toMatchObject({
      id: second.clonedSessionId,
      clonedFrom: first.clonedSessionId,
    });
    expect(second.statistics.sizeCloned).toBe(second.statistics.sizeOriginal);
  });

  it('a session in use can be cloned', async () => {
    appendFileSync(path, '{"type":"message","timestamp":9,"message":{"role":"user","content":"Go on"}}\n');
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: process.pid, createdAt: new Date().toISOString() }));
    const { clonedSessionPath } = await state.json('clone', ID, '--strip-tools');
    expect(readFileSync(clonedSessionPath, 'utf8')).toContain('"Go on"');
  });
});

describe('of pi', () => {
  it('is beside its source with a name as pi makes it, opens in pi, and is resumed by its path', async () => {
    const folder = join(state.home, '.pi/agent/sessions/--work it--');
    mkdirSync(folder, { recursive: true });
    const source = join(folder, `2026-01-01T00-00-00-000Z_${ID}.jsonl`);
    writeFileSync(source, formatLines(createSessionWithTurns(5, 1, { tree: true, sessionId: ID })));
    const result = await state.json('clone', ID, '--keep', '1', '--source', 'pi');
    const { clonedSessionId, clonedSessionPath } = result;
    expect(dirname(clonedSessionPath)).toBe(folder);
    expect(basename(clonedSessionPath)).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_[0-9a-f-]{36}\.jsonl$/,
    );
    expect(result.resumeCommand).toBe(`pi --session '${clonedSessionPath}'`);
    expect(result).not.toHaveProperty('sessionKey');
    const pi = SessionManager.open(clonedSessionPath);
    expect(pi.getSessionId()).toBe(clonedSessionId);
    expect(pi.getHeader()).toMatchObject({ clonedFrom: ID });
    expect(pi.buildSessionContext().messages).toHaveLength(5 * 3 + 1);
    const listed = await SessionManager.list('/test/project', folder);
    expect(listed.map(({ id }) => id).sort()).toEqual([ID, clonedSessionId].sort());
  });
});

describe('of Claude Code', () => {
  const TOOL = 'toolu_1';
  const line = (fields: Json, uuid: string, parentUuid: string | null) =>
    JSON.stringify({ parentUuid, isSidechain: false, cwd: '/work', sessionId: ID, uuid, ...fields });
  const LINES = [
    `{"type":"mode","mode":"normal","sessionId":"${ID}"}`,
    line({ type: 'user', message: { role: 'user', content: 'Question' } }, 'u1', null),
    line(
      {
        type: 'assistant',
        message: {
          id: 'msg_1',
          role: 'assistant',
          content: [{ type: 'tool_use', id: TOOL, name: 'Read', input: { file_path: '/a' } }],
        },
      },
      'u2',
      'u1',
    ),
    line(
      {
        type: 'user',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: TOOL, content: ID }] },
      },
      'u3',
      'u2',
    ),
    line(
      {
        type: 'assistant',
        message: { id: 'msg_2', role: 'assistant', content: [{ type: 'text', text: 'Answer' }] },
      },
      'u4',
      'u3',
    ),
    '{"type":"file-history-snapshot","messageId":"u1"}',
    'a broken line',
    `{"type":"last-prompt","lastPrompt":"Question","leafUuid":"u4","sessionId":"${ID}"}`,
  ];
  let folder: string;
  let source: string;
  beforeEach(() => {
    folder = join(state.home, '.claude/projects/-work');
    mkdirSync(folder, { recursive: true });
    source = join(folder, `${ID}.jsonl`);
    writeFileSync(source, `${LINES.join('\n')}\n`);
  });
  const clone = async (...flags: string[]) => {
    const run = await runOccHere(['clone', ID, '--source', 'claude', '--json', ...flags], {
      env: { HOME: state.home },
      cwd: state.home,
    });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(run.stdout);
  };

  it('has its new id in every line that had one, is in no index, and is resumed by its id', async () => {
    const { clonedSessionId, clonedSessionPath, resumeCommand, ...result } = await clone();
    expect(clonedSessionPath).toBe(join(folder, `${clonedSessionId}.jsonl`));
    expect(resumeCommand).toBe(`claude --resume ${clonedSessionId}`);
    expect(result).not.toHaveProperty('sessionKey');
    // What a tool said stays, though it says the same.
    const expected = LINES.map((text) =>
      text.replace(`"sessionId":"${ID}"`, `"sessionId":"${clonedSessionId}"`),
    );
    const title = { type: 'custom-title', customTitle: 'Question (clone)', sessionId: clonedSessionId };
    expect(readRawLines(clonedSessionPath)).toEqual([...expected, JSON.stringify(title)]);
    expect(readRawLines(source)).toEqual(LINES);
  });

  it('a secret in the first prompt is not copied into its title, not even half of it', async () => {
    const secret = `sk-ant-api03-${'Ab3'.repeat(30)}`;
    const prompt = `Use ${'this key '.repeat(6)}${secret} from now on`;
    writeFileSync(source, `${LINES.join('\n').replace('"Question"', JSON.stringify(prompt))}\n`);
    const { clonedSessionPath } = await clone();
    const { customTitle } = JSON.parse(readRawLines(clonedSessionPath).at(-1)!);
    expect(customTitle).toMatch(/^Use this key .*\(clone\)$/);
    expect(customTitle).not.toContain('Ab3Ab3');
  });

  it('its title has the words of the person, not what the runtime of the agent told', async () => {
    const event = 'System: [2026-01-12 12:19:17 PST] Model switched.';
    const told = { ...JSON.parse(LINES[0]!), uuid: 'told', message: { role: 'user', content: event } };
    const lines = LINES.join('\n').replace('"Question"', JSON.stringify(`${event}\n\nQuestion`));
    writeFileSync(source, `${JSON.stringify(told)}\n${lines}\n`);
    const { clonedSessionPath } = await clone();
    expect(JSON.parse(readRawLines(clonedSessionPath).at(-1)!).customTitle).toBe('Question (clone)');
  });

  it('cleaned, it has lost the tools and nothing else', async () => {
    const { clonedSessionPath, statistics } = await clone('--strip-tools=extreme');
    const text = readFileSync(clonedSessionPath, 'utf8');
    expect(text).not.toContain(TOOL);
    expect(text).not.toContain(ID);
    expect(text).toContain('"Question"');
    expect(text).toContain('"Answer"');
    expect(text).toContain('\na broken line\n');
    expect(statistics).toMatchObject({ messagesOriginal: 4, messagesCloned: 2, toolCallsRemoved: 1 });
    expect(readCalls(path)).toHaveLength(30);
  });

  it('written elsewhere, it is resumed by its path', async () => {
    const target = join(state.home, "it's here.jsonl");
    const { resumeCommand } = await clone('-o', target);
    expect(resumeCommand).toBe(`claude --resume '${target.replace("'", "'\\''")}'`);
  });

  it('written to a file that is named like an id, it has that id: Claude Code goes on in a file of that name', async () => {
    const id = '0f0e0d0c-0b0a-4a0b-8c0d-0e0f0a0b0c0d';
    const { clonedSessionId, clonedSessionPath } = await clone('-o', join(state.home, `${id}.jsonl`));
    expect(clonedSessionId).toBe(id);
    expect(JSON.parse(readRawLines(clonedSessionPath)[0]!).sessionId).toBe(id);
  });

  it('of a session outside of the folder of Claude Code, it is resumed by its path', async () => {
    const outside = join(state.home, `${ID}.jsonl`);
    writeFileSync(outside, `${LINES.join('\n')}\n`);
    const run = await runOccHere(['clone', outside, '--json'], {
      env: { HOME: state.home },
      cwd: state.home,
    });
    const { clonedSessionPath, resumeCommand } = JSON.parse(run.stdout);
    expect(dirname(clonedSessionPath)).toBe(state.home);
    expect(resumeCommand).toBe(`claude --resume ${clonedSessionPath}`);
  });

  it('that is only tried names nothing that will never be', async () => {
    const result = await clone('--dry-run');
    expect(Object.keys(result)).toEqual([
      ...[
        'success',
        'mode',
        'sourceSessionId',
        'foundBy',
        'agentId',
        'statistics',
        'tokens',
        'dryRun',
        'changed',
      ],
    ]);
    expect(result).toMatchObject({ dryRun: true, changed: false });
  });
});
