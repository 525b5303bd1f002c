import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveSession } from '../../src/finding/resolve-session.ts';
import { runOccHere } from '../setup/run-occ.ts';
import { header, makeHome, put, sessionsFolder, setAge, userLine, uuid } from './home.ts';

/** Sessions `1111…`, `2222…`, of which the last is the newest. */
function putSessions(home: string, count: number, agentId = 'main'): string[] {
  const index: Record<string, object> = {};
  const ids = Array.from({ length: count }, (_, at) => uuid((at + 1).toString(16)));
  for (const [at, id] of ids.entries()) {
    setAge(put(join(sessionsFolder(home, agentId), `${id}.jsonl`), header(id) + userLine('hello')), at);
    index[`agent:${agentId}:telegram:dm:${at}`] = { sessionId: id, updatedAt: 1 };
  }
  put(join(sessionsFolder(home, agentId), 'sessions.json'), index);
  return ids;
}

async function list(home: string, args: string[] = [], env: Record<string, string> = {}) {
  return runOccHere(['list', ...args], { env: { HOME: home, ...env }, cwd: home });
}

function positions(text: string, ids: readonly string[]): number[] {
  return ids.map((id) => text.indexOf(id.slice(0, 8)));
}

describe('occ list', () => {
  test('TC-1.1a displays all sessions', async () => {
    const home = makeHome();
    const ids = putSessions(home, 5);
    const { code, stdout, stderr } = await list(home);
    expect([code, stderr]).toEqual([0, '']);
    expect(positions(stdout, ids).every((at) => at >= 0)).toBe(true);
    expect(stdout).toMatch(/^5 sessions of agent main/);
  });

  test('TC-1.2a sessions are sorted by recency', async () => {
    const home = makeHome();
    const ids = putSessions(home, 5);
    const { stdout } = await list(home);
    const found = positions(stdout, ids.reverse());
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  });

  test('TC-1.3a an entry shows its id, its age, its size, its key, its folder and its first words', async () => {
    const home = makeHome();
    const [id] = putSessions(home, 1);
    setAge(join(sessionsFolder(home), `${id}.jsonl`), -86_400 * 365 * 20);
    const { stdout } = await list(home);
    const line = stdout.split('\n').find((text) => text.startsWith('11111111'));
    expect(line).toMatch(
      /^11111111 {2}\d+ years ago +\d+ B {2}agent:main:telegram:dm:0 {2}\/work\/space {2}hello$/,
    );
  });

  test('TC-1.4a the limit restricts the output, to the newest', async () => {
    const home = makeHome();
    const ids = putSessions(home, 10);
    const { stdout } = await list(home, ['-n', '3']);
    expect(positions(stdout, ids).map((at) => at >= 0)).toEqual([
      ...Array(7).fill(false),
      ...Array(3).fill(true),
    ]);
    expect(stdout).toContain('3 of 10 sessions');
    expect(JSON.parse((await list(home, ['--limit=3', '--json'])).stdout)).toHaveLength(3);
  });

  test('without a limit people see the newest thirty, programs all', async () => {
    const home = makeHome();
    for (let at = 0; at < 55; at++) {
      const id = `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`;
      setAge(put(join(sessionsFolder(home), `${id}.jsonl`), header(id)), at);
    }
    const { stdout } = await list(home);
    expect(stdout).toMatch(/^The newest 30 of 55 sessions of agent main \(-n shows more\)\n/);
    expect(stdout.trimEnd().split('\n')).toHaveLength(32);
    expect(stdout).toContain('00000025');
    expect(stdout).not.toContain('00000024');
    expect((await list(home, ['-n', '99'])).stdout).toMatch(/^55 sessions/);
    expect(JSON.parse((await list(home, ['--json'])).stdout)).toHaveLength(55);
  });

  test('TC-1.5a JSON output is an array with every field', async () => {
    const home = makeHome();
    const [one, two] = putSessions(home, 2);
    const { code, stdout, stderr } = await list(home, ['--json']);
    expect([code, stderr]).toEqual([0, '']);
    const sessions = JSON.parse(stdout);
    expect(sessions.map(({ sessionId }: { sessionId: string }) => sessionId)).toEqual([two, one]);
    expect(sessions[1]).toEqual({
      sessionId: one,
      sessionKey: 'agent:main:telegram:dm:0',
      agentId: 'main',
      source: 'openclaw',
      path: join(sessionsFolder(home), `${one}.jsonl`),
      cwd: '/work/space',
      updatedAt: Date.UTC(2026, 0, 1),
      sizeBytes: Buffer.byteLength(header(one!) + userLine('hello')),
      firstWords: 'hello',
    });
  });

  test('TC-1.6a a partial id is enough', async () => {
    const home = makeHome();
    put(join(sessionsFolder(home), 'abc123-def456.jsonl'), header('abc123-def456') + userLine('hello'));
    const { code, stdout } = await runOccHere(['info', 'abc123', '--json'], { env: { HOME: home } });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ sessionId: 'abc123-def456' });
  });

  test('TC-1.6b an ambiguous partial id fails and lists the matches', async () => {
    const home = makeHome();
    for (const id of ['abc1-x', 'abc2-x']) put(join(sessionsFolder(home), `${id}.jsonl`), header(id));
    const { code, stdout, stderr } = await runOccHere(['info', 'abc'], { env: { HOME: home } });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Error: Multiple sessions match 'abc': abc\d-x, abc\d-x\n {2}\S/);
  });

  test('TC-1.7a the agent comes from the environment, else it is main', async () => {
    const home = makeHome();
    putSessions(home, 1);
    putSessions(home, 2, 'molt');
    expect((await list(home)).stdout).toMatch(/^1 session of agent main/);
    expect((await list(home, [], { CLAWDBOT_AGENT_ID: 'molt' })).stdout).toMatch(/^2 sessions of agent molt/);
    expect((await list(home, [], { OPENCLAW_AGENT_ID: 'molt' })).stdout).toMatch(/^2 sessions of agent molt/);
  });

  test('TC-1.8a the agent flag wins over the environment', async () => {
    const home = makeHome();
    putSessions(home, 1, 'molt');
    putSessions(home, 2, 'other');
    const { stdout } = await list(home, ['--agent', 'other'], { CLAWDBOT_AGENT_ID: 'molt' });
    expect(stdout).toMatch(/^2 sessions of agent other/);
  });

  test('TC-1.9a a missing agent is an error that lists the available ones', async () => {
    const home = makeHome();
    putSessions(home, 1);
    putSessions(home, 1, 'molt');
    const { code, stdout, stderr } = await list(home, ['--agent', 'bad']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `Error: Agent 'bad' not found in ${join(home, '.openclaw')}\n  Available agents: main, molt\n`,
    );
  });

  test('an empty list says where it looked, and is an empty array', async () => {
    const home = makeHome();
    mkdirSync(join(home, '.openclaw'));
    const { code, stdout } = await list(home);
    expect([code, stdout]).toEqual([
      0,
      [
        'No sessions of agent main.',
        '  Looked in ~/.openclaw/agents/main/sessions',
        '  Looked in ~/.openclaw/agents/main/agent/openclaw-agent.sqlite',
        '',
      ].join('\n'),
    ]);
    expect((await list(home, ['--json'])).stdout).toBe('[]\n');
  });

  test('a broken index beside no transcripts is an error on stderr, in JSON where JSON is asked for', async () => {
    const home = makeHome();
    put(join(sessionsFolder(home), 'sessions.json'), '{"agent:main:main": ');
    const { code, stdout, stderr } = await list(home, ['--json']);
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toMatchObject({
      success: false,
      error: { code: 'STORE_PARSE_FAILED', message: expect.stringContaining('sessions.json') },
    });
  });

  test('every id that is printed names its session', async () => {
    const home = makeHome();
    const folder = sessionsFolder(home);
    const same = '01a1e06b-bcd9-7616-8d44-c6be777b69b';
    const names = [
      `${same}a`,
      `${same}b`,
      `${same}a-topic-1`,
      `${same}a-topic-12`,
      uuid('7'),
      'work',
      'work-2',
    ];
    for (const name of names) put(join(folder, `${name}.jsonl`), header(name));
    const { stdout } = await list(home);
    const printed = stdout
      .trimEnd()
      .split('\n')
      .slice(2)
      .map((line) => line.split(' ')[0]!);
    const scope = { env: { HOME: home }, cwd: home };
    const paths = await Promise.all(
      printed.map(async (name) => (await resolveSession(scope, name)).session.path),
    );
    expect(paths.sort()).toEqual(names.map((name) => join(folder, `${name}.jsonl`)).sort());
    expect(printed).toContain('77777777');
  });

  test('an entry of the index without a time is of unknown age', async () => {
    const home = makeHome();
    put(join(sessionsFolder(home), 'sessions.json'), { 'agent:main:main': { sessionId: uuid('8') } });
    expect((await list(home)).stdout).toMatch(/^88888888 +unknown +missing /m);
  });

  test('sessions of several sources and agents are distinguished', async () => {
    const home = makeHome();
    putSessions(home, 1);
    putSessions(home, 2, 'molt');
    put(join(home, '.claude/projects/-w', `${uuid('9')}.jsonl`), `{"sessionId":"x","cwd":"/w"}\n`);
    const { stdout } = await list(home, ['--source', 'all']);
    expect(stdout.split('\n')[1]).toMatch(/^ID +UPDATED +SIZE +SOURCE +AGENT +SESSION +FOLDER +BEGAN WITH$/);
    expect(stdout).toMatch(/^99999999 .* claude .* \/w$/m);
    expect(stdout).toMatch(/^22222222 .* openclaw {2}molt /m);
    const newest = await list(home, ['--source', 'all', '-n', '1']);
    expect(newest.stdout).toMatch(/^The newest 1 of 4 sessions \(-n shows more\)\nID .* SOURCE/);
  });
});
