import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { makeAgentBench } from '../setup/agent-process.ts';
import { FIXTURES, makeDatabasePlace, makeOpenclawPlace, makePlace, snapshot } from './session-places.ts';

interface Listed {
  readonly path: string | null;
  readonly count: number;
  readonly totalCount: number;
  readonly sessions: readonly Record<string, unknown>[];
  readonly [field: string]: unknown;
}

const withoutAge = ({ ageMs: _, ...row }: Record<string, unknown>) => row;

test('rows of files are those that OpenClaw 2026.7.35 printed, and looking changes nothing', async () => {
  const place = makeOpenclawPlace();
  const before = snapshot(place.stateDir);
  const { sessions, ...list } = await place.json<Listed>('sessions');
  expect(list).toEqual({
    path: join(place.sessionsDir, 'sessions.json'),
    count: 22,
    totalCount: 22,
    limitApplied: 100,
    hasMore: false,
    activeMinutes: null,
  });
  const printed = JSON.parse(
    readFileSync(join(place.sessionsDir, 'cli-sessions--json.json'), 'utf8'),
  ) as Listed;
  const ours = new Map(sessions.map((row) => [row.key, row]));
  // The store was used further after the list was printed.
  const same = printed.sessions.filter(({ key, updatedAt }) => ours.get(key)?.updatedAt === updatedAt);
  expect(same.length).toBeGreaterThan(12);
  // The configuration that OpenClaw had then is not kept; it counts where an entry names no window.
  const stored = place.store();
  for (const row of same.filter(({ key }) => stored[key as string]!.contextTokens !== undefined)) {
    expect(Object.keys(ours.get(row.key)!)).toEqual(Object.keys(row));
    expect(withoutAge(ours.get(row.key)!)).toEqual(withoutAge(row));
  }
  expect(snapshot(place.stateDir)).toEqual(before);
});

test('rows of a database are those that OpenClaw 2026.9.6 prints', async () => {
  const id = (last: number) => `00000000-0000-4000-8000-00000000000${last}`;
  const place = await makeDatabasePlace({
    'agent:main:cron:job': {
      ...{
        sessionId: id(1),
        updatedAt: 1794766000001,
        model: 'claude-sonnet-4-6',
        modelProvider: 'anthropic',
      },
      ...{ totalTokens: 50, totalTokensFresh: true, totalTokensVersion: 1 },
    },
    'agent:main:o3': {
      ...{ sessionId: id(3), updatedAt: 1794766000003, modelOverride: 'imitation/foo', agentHarnessId: 'pi' },
      ...{ totalTokens: 7, contextTokens: 999, contextTokensSource: 'runtime' },
      ...{ model: 'imitation', modelProvider: 'imitation' },
    },
    'agent:main:o4': {
      ...{ sessionId: id(4), updatedAt: 1794766000004, agentHarnessId: 'openclaw', totalTokens: 7 },
      ...{
        contextTokens: 999,
        contextTokensSource: 'runtime',
        model: 'imitation',
        modelProvider: 'imitation',
      },
    },
    'agent:main:subagent:aa': {
      ...{ sessionId: id(2), updatedAt: 1794766000002, spawnedBy: 'agent:main:main', label: 'l' },
      ...{ model: 'x', modelProvider: 'openai', contextTokens: 5000 },
    },
  });
  const before = snapshot(place.stateDir);
  const { sessions, path } = await place.json<Listed>('sessions');
  expect(path).toBe(join(place.stateDir, 'agents/main/agent/openclaw-agent.sqlite'));
  const rows = sessions.map(withoutAge);
  expect(rows.map(({ key }) => key)).toEqual([
    'agent:main:think',
    'agent:main:main',
    'agent:main:o4',
    'agent:main:o3',
    'agent:main:subagent:aa',
    'agent:main:cron:job',
  ]);
  const ownRuntime = { id: 'openclaw', source: 'session' };
  expect(rows.slice(2)).toEqual([
    {
      ...{ key: 'agent:main:o4', updatedAt: 1794766000004, sessionId: id(4), visibility: 'shared' },
      ...{ totalTokens: 7, totalTokensFresh: false, model: 'imitation', modelProvider: 'imitation' },
      ...{ contextTokens: 999, agentId: 'main', acpRuntime: false, agentRuntime: ownRuntime, kind: 'direct' },
    },
    {
      ...{ key: 'agent:main:o3', updatedAt: 1794766000003, sessionId: id(3), visibility: 'shared' },
      ...{ totalTokens: 7, totalTokensFresh: false, model: 'foo', modelProvider: 'imitation' },
      ...{ modelOverride: 'imitation/foo', contextTokens: 64_000, agentId: 'main', acpRuntime: false },
      ...{ agentRuntime: ownRuntime, kind: 'direct' },
    },
    {
      ...{ key: 'agent:main:subagent:aa', updatedAt: 1794766000002, sessionId: id(2), label: 'l' },
      ...{ spawnedBy: 'agent:main:main', visibility: 'shared', totalTokens: null, totalTokensFresh: false },
      ...{ model: 'x', modelProvider: 'openai', contextTokens: 64_000, agentId: 'main', acpRuntime: false },
      ...{ agentRuntime: { id: 'codex', source: 'implicit' }, kind: 'spawn-child' },
    },
    {
      ...{ key: 'agent:main:cron:job', updatedAt: 1794766000001, sessionId: id(1), visibility: 'shared' },
      ...{ totalTokens: 50, totalTokensFresh: true, totalTokensVersion: 1, model: 'claude-sonnet-4-6' },
      ...{ modelProvider: 'anthropic', contextTokens: 1_000_000, agentId: 'main', acpRuntime: false },
      ...{ agentRuntime: { id: 'auto', source: 'implicit' }, kind: 'cron' },
    },
  ]);
  expect(snapshot(place.stateDir)).toEqual(before);
});

/** What OpenClaw computes of an entry for its list, or keeps in another table. */
const COMPUTED = ['key', 'ageMs', 'visibility', 'agentId', 'acpRuntime', 'agentRuntime', 'kind'];
const ELSEWHERE = ['participants', 'participantCount'];

test('a list is what OpenClaw 2026.9.6 printed of the same entries, field by field', async () => {
  const text = readFileSync(join(FIXTURES, 'openclaw-sqlite/cli-sessions--json.json'), 'utf8');
  const printed = JSON.parse(text) as Listed;
  const stored = printed.sessions.map((row): [string, object] => {
    const own = Object.entries(row).filter(([name]) => ![...COMPUTED, ...ELSEWHERE].includes(name));
    const run = { contextTokensSource: 'resolved', agentHarnessId: 'openclaw' };
    return [row.key as string, { ...Object.fromEntries(own), ...run }];
  });
  const place = await makeDatabasePlace(Object.fromEntries(stored));
  // The models were those of its configuration.
  const provider = (id: string, contextWindow: number) => ({
    ...{ baseUrl: 'http://127.0.0.1:9', api: 'openai-completions', models: [{ id, contextWindow }] },
  });
  const providers = { mock: provider('mock-1', 128_000), mocka: provider('mock-a', 200_000) };
  writeFileSync(join(place.stateDir, 'openclaw.json'), JSON.stringify({ models: { providers } }));
  const path = join(place.stateDir, 'agents/main/agent/openclaw-agent.sqlite');
  const database = new DatabaseSync(path);
  const insert = database.prepare(
    `INSERT INTO session_participants (session_key, identity_namespace, actor_id, contribution_count)
     VALUES (?, ?, ?, 1)`,
  );
  for (const { key, participants = [] } of printed.sessions) {
    for (const { identity } of participants as { identity: Record<string, string | null> }[]) {
      const { id, ...namespace } = identity;
      insert.run(key as string, JSON.stringify(namespace), id!);
    }
  }
  database.close();
  const { sessions, ...list } = await place.jsonHere<Listed>('sessions');
  const { sessions: theirs, ...theirList } = printed;
  expect(list).toEqual({ ...theirList, path });
  expect(Object.keys(list)).toEqual(Object.keys(theirList));
  expect(sessions.map(withoutAge)).toEqual(theirs.map(withoutAge));
  expect(sessions.map((row) => Object.keys(row))).toEqual(theirs.map((row) => Object.keys(row)));
});

test('people see the window that a run recorded, and how many sessions a database has', async () => {
  const key = 'agent:main:recorded';
  const recorded = { sessionId: 'r', updatedAt: Date.now(), totalTokens: 12_800, totalTokensFresh: true };
  const tiny = { ...recorded, sessionId: 't', totalTokens: 1, contextTokens: 200_000 };
  const place = await makeDatabasePlace({
    [key]: { ...recorded, contextTokens: 128_000 },
    'agent:main:tiny': tiny,
  });
  const table = await place.runHere('sessions');
  expect(table.stdout).toMatch(/recorded.* ~?13k\/128k .*10%/);
  expect(table.stdout).toMatch(/tiny.* ~?1\/200k .*<1%/);
  expect((await place.runHere('sessions', 'show', key)).stdout).toContain('12,800 of 128,000 tokens, 10%');
  const { agents } = await place.json<{ agents: object[] }>('agents', 'list');
  expect(agents).toMatchObject([
    { id: 'main', sessions: 4, sessionsPath: expect.stringMatching(/openclaw-agent\.sqlite$/) },
  ]);
});

test('sessions of this program, after a turn', async () => {
  const bench = makeAgentBench();
  await bench.json('-m', 'hello');
  const place = { ...makePlace(), stateDir: bench.stateDir };
  const { sessions } = await place.json<Listed>('sessions', '--state-dir', bench.stateDir);
  expect(sessions).toEqual([
    expect.objectContaining({
      ...{ key: 'agent:main:main', kind: 'direct', modelProvider: 'script', model: 'echo', agentId: 'main' },
    }),
  ]);
});

test('filters, order and limit', async () => {
  const now = Date.now();
  const place = makePlace({
    'agent:main:b': { sessionId: 'b', updatedAt: now - 1000, totalTokens: 10, contextTokens: 100 },
    'agent:main:a': {
      ...{ sessionId: 'a', updatedAt: now - 3_600_000, totalTokens: 50, contextTokens: 10_000 },
      ...{ estimatedCostUsd: 2, sessionStartedAt: now },
    },
    'agent:main:none': { sessionId: 'c' },
  });
  const keysOf = async (...flags: string[]) => {
    const { sessions, ...list } = await place.jsonHere<Listed>('sessions', ...flags);
    return [sessions.map(({ key }) => String(key).slice(11)).join(' '), list.totalCount, list.hasMore];
  };
  expect(await keysOf()).toEqual(['b a none', 3, false]);
  expect(await keysOf('--active', '30')).toEqual(['b', 1, false]);
  expect(await keysOf('--sort', 'tokens', '-n', '2')).toEqual(['a b', 3, true]);
  expect(await keysOf('--sort', 'context', '--limit', 'all')).toEqual(['b a none', 3, false]);
  expect(await keysOf('--sort', 'key')).toEqual(['a b none', 3, false]);
  expect((await keysOf('--sort', 'cost'))[0]).toBe('a b none');
});

test('agents: one, all, and those of the configuration', async () => {
  const entry = { sessionId: 'x', updatedAt: 5 };
  const place = makePlace(
    { 'agent:main:main': entry },
    {
      'agents/work/sessions/sessions.json': JSON.stringify({ 'agent:work:main': entry }),
      'openbot.json': '{ agents: { list: [{ id: "work" }, { id: "main" }] } }',
    },
  );
  const keysOf = async (...flags: string[]) =>
    (await place.jsonHere<Listed>('sessions', ...flags)).sessions.map(({ key }) => key);
  expect(await keysOf()).toEqual(['agent:work:main']);
  expect(await keysOf('--agent', 'main')).toEqual(['agent:main:main']);
  const all = await place.json<Listed>('sessions', '--all-agents');
  expect(all).toMatchObject({ path: null, allAgents: true, count: 2 });
  expect(all.stores).toEqual(
    ['work', 'main'].map((agentId) => ({
      agentId,
      path: join(place.stateDir, 'agents', agentId, 'sessions/sessions.json'),
    })),
  );
  const { stdout } = await place.runHere('sessions');
  expect(stdout).toMatch(/^2 sessions of 2 agents\n/);
  expect(stdout).toMatch(/agent:main:main +main .*\n.*|agent:work:main +work /);
});

test('several agents of OpenClaw without a default: a program must choose, a person sees all', async () => {
  const place = makePlace(
    { 'agent:main:main': { sessionId: 'x', updatedAt: 5 } },
    { 'openclaw.json': '{"agents":{"ownership":"explicit","entries":{"main":{},"work":{}}}}' },
  );
  const { code, stderr } = await place.runHere('sessions', '--json');
  expect([code, JSON.parse(stderr).error.code]).toEqual([2, 'USAGE']);
  expect(stderr).toContain('--agent <id> (main, work)');
  expect((await place.runHere('sessions')).stdout).toContain('agent:main:main');
});

test('a store by its path, of either kind', async () => {
  const files = makeOpenclawPlace();
  const elsewhere = makePlace();
  const path = join(files.sessionsDir, 'sessions.json');
  expect((await elsewhere.jsonHere<Listed>('sessions', '--store', path)).count).toBe(22);
  const database = await makeDatabasePlace();
  const own = join(database.stateDir, 'agents/main/agent/openclaw-agent.sqlite');
  expect((await elsewhere.jsonHere<Listed>('sessions', '--store', own)).count).toBe(2);
  // OpenClaw takes the path of the file that it no longer has.
  const former = join(database.stateDir, 'agents/main/sessions/sessions.json');
  expect((await elsewhere.jsonHere<Listed>('sessions', '--store', former)).path).toBe(own);
});

test('nothing yet: what to do next', async () => {
  const place = makePlace();
  const { stdout, code } = await place.runHere('sessions');
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      'No sessions of agent main yet.',
      '  Looked in ~/state/agents/main/sessions/sessions.json',
      '  To begin one: openbot agent -m "hello"\n',
    ].join('\n'),
  );
  expect(await place.jsonHere('sessions')).toMatchObject({ count: 0, sessions: [] });
  expect(snapshot(place.stateDir)).toEqual({});
  mkdirSync(join(place.home, '.openclaw', 'agents'), { recursive: true });
  const beside = await place.runHere('sessions');
  expect(beside.stdout).toMatch(/--state-dir ~\/\.openclaw\n.*openbot init --from-openclaw\n$/);
  const old = makePlace({ 'agent:main:main': { sessionId: 'x', updatedAt: 5 } });
  expect((await old.runHere('sessions', '--active', '5')).stdout).toBe(
    'No session of agent main was used in the last 5 minutes; without --active: 1.\n',
  );
});

test.each([
  [['--limit', 'many'], 'USAGE', '--limit must be a whole number'],
  [['--active', '0'], 'USAGE', '--active must be'],
  [['--sort', 'token'], 'USAGE', '--sort must be one of'],
  [['--agent', 'man'], 'AGENT_NOT_FOUND', 'Did you mean main?'],
  [['--agent', 'main', '--all-agents'], 'USAGE', 'contradict'],
  [['--store', 'x', '--all-agents'], 'USAGE', 'contradict'],
  [['--store', './none.json'], 'STORE_UNREADABLE', 'no session store'],
  [['--state-dir', './none'], 'USAGE', 'does not exist'],
  [['--state-dir', '<file>'], 'USAGE', 'is a file'],
  [['shwo'], 'USAGE', 'sessions show'],
])('%j is an error', async (args, code, text) => {
  const place = makePlace();
  writeFileSync(join(place.home, 'file'), '');
  const given = args.map((word) => word.replace('<file>', join(place.home, 'file')));
  const ran = await place.runHere('sessions', ...given, '--json');
  expect(ran.code).not.toBe(0);
  expect(JSON.parse(ran.stderr).error.code).toBe(code);
  expect(ran.stderr).toContain(text);
});

test('a broken store is named; of several agents the others are shown', async () => {
  const place = makePlace({ 'agent:main:main': { sessionId: 'x', updatedAt: 5 } });
  mkdirSync(join(place.stateDir, 'agents/work/sessions'), { recursive: true });
  writeFileSync(join(place.stateDir, 'agents/work/sessions/sessions.json'), '{');
  const { code, stdout, stderr } = await place.runHere('sessions');
  expect([code, stdout.includes('agent:main:main')]).toEqual([0, true]);
  expect(stderr).toMatch(/^Warning: .*agents\/work\/sessions\/sessions\.json is not valid JSON/);
  expect((await place.runHere('sessions', '--agent', 'work')).code).toBe(1);
});
