/** `openbot status` on state folders of each kind: it tells, and leaves everything as it is. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noTerminal, screenOf, startInTerminal } from '../../../../test/setup/in-terminal.ts';
import { openState } from '../../src/state/open-state.ts';
import type { StatusReport } from '../../src/state-report/contract.ts';
import { makeDatabasePlace, makePlace } from '../kept-sessions/session-places.ts';
import { outbound } from '../outbox/outbound.ts';
import { COMMAND } from '../setup/command-file.ts';

const NOW = Date.now();
const STORE = {
  'agent:main:main': {
    sessionId: '11111111-0000-4000-8000-000000000001',
    updatedAt: NOW - 60_000,
    totalTokens: 150_000,
    contextTokens: 200_000,
    model: 'echo',
    modelProvider: 'script',
    label: 'daily',
  },
};

/** Every file with its time and its bytes. */
function takePicture(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stats = statSync(join(folder, name));
      const bytes = stats.isFile() ? readFileSync(join(folder, name)) : '';
      return `${name} ${stats.mtimeMs} ${createHash('sha256').update(bytes).digest('hex')}`;
    });
}

it('sessions, queue, dead letters, channels and models of a folder of its own', async () => {
  const secret = 'sk-very-secret-value';
  const place = makePlace(STORE, {
    'openbot.json': JSON.stringify({
      agents: { defaults: { model: 'acme/big' } },
      models: {
        providers: {
          acme: {
            baseUrl: 'http://127.0.0.1:1/v1',
            api: 'openai-completions',
            apiKey: secret,
            models: [{ id: 'big' }],
          },
        },
      },
      channels: { telegram: { accounts: { work: { botToken: secret } } } },
    }),
  });
  const state = await openState(place.stateDir);
  await state.outbox.put([outbound('a', '1'), outbound('b', '2')]);
  const claim = { channel: 'telegram', accountId: 'default', owner: 'me', now: 1, leaseMs: 9, limit: 1 };
  for (const { key } of await state.outbox.claim(claim))
    await state.outbox.dead(key, 'me', { error: 'blocked', at: NOW });
  await state.inbox.accept({
    identity: { channel: 'telegram', accountId: 'default', conversationId: '42', messageId: '1' },
    agentId: 'main',
    sessionKey: 'agent:main:main',
    ctx: { Body: 'hello' } as never,
    receivedAt: NOW,
  });
  await state.close();
  const usage = { input: 10, output: 5, cacheRead: 3000, cacheWrite: 0, cost: { total: 0.25 } };
  const line = {
    type: 'message',
    id: 'a',
    message: { role: 'assistant', timestamp: NOW, model: 'echo', usage },
  };
  // A conversation that was reset was paid for too.
  writeFileSync(
    join(place.stateDir, 'agents/main/sessions/old.jsonl.reset.2026-11-10T12-00-00.000Z'),
    `${JSON.stringify(line)}\n`,
  );
  const before = takePicture(place.stateDir);
  const report = await place.json<StatusReport>('status');
  expect(report).toMatchObject({
    agents: [{ id: 'main', isDefault: true, sessions: 1 }],
    sessions: { count: 1, recent: [{ key: 'agent:main:main', label: 'daily', totalTokens: 150_000 }] },
    messages: {
      waiting: [{ sessionKey: 'agent:main:main', waiting: 1, running: 0 }],
      outbox: { dead: 1, waiting: 1 },
      unsent: [{ channel: 'telegram', count: 1 }],
    },
    deadLetters: [{ error: 'blocked' }],
    channels: [{ name: 'telegram', accounts: ['work'], enabled: true, hasDriver: true }],
    gateway: { running: false },
    faults: [],
  });
  const deep = await place.run('status', '--all', '--usage', '--deep', '--timeout', '5');
  expect(deep).toMatchObject({ code: 0, stderr: '' });
  expect(deep.stdout).toContain('agent:main:main: 1 waiting');
  expect(deep.stdout).toMatch(/dead letter.*openbot outbox list/);
  expect(deep.stdout).toMatch(/telegram \(work\): /);
  expect(deep.stdout).toMatch(/main: 3,010 tokens in, 5 out, \$0\.25/);
  expect(deep.stdout).toMatch(/agent:main:main.*█.*75%/);
  expect(JSON.stringify(report) + deep.stdout).not.toContain(secret);
  expect(takePicture(place.stateDir)).toEqual(before);
});

it("the sessions of OpenClaw's database", async () => {
  const place = await makeDatabasePlace();
  mkdirSync(join(place.stateDir, 'agents', 'ops', 'agent'), { recursive: true });
  const before = takePicture(place.stateDir);
  const report = await place.json<StatusReport>('status');
  // The second has no sessions yet.
  expect(report.agents.map(({ id, keptIn }) => [id, keptIn])).toEqual([
    ['main', "OpenClaw's database"],
    ['ops', "OpenClaw's database"],
  ]);
  expect(report.sessions.count).toBeGreaterThan(0);
  expect(takePicture(place.stateDir)).toEqual(before);
});

it('what is broken is named, and the rest is told', async () => {
  const place = makePlace(STORE, {
    'openbot-inbox.sqlite': 'no database',
    'openbot.json': '{ agents: 1, foo: 2 }',
  });
  const { code, stdout, stderr } = await place.run('status');
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(/^State .*, openbot\.json cannot be used$/m);
  expect(stdout.match(/^✗ configuration: .*$/gm)).toEqual([
    expect.stringContaining('agents'),
    expect.stringContaining('foo'),
  ]);
  expect(stdout.match(/^✗ .*openbot-inbox\.sqlite.*$/gm)).toHaveLength(1);
  expect(stdout).toMatch(/^Queue +cannot be read$/m);
  expect(stdout).not.toMatch(/^(Agents|Models|Channels)|\ufffd/m);
  mkdirSync(join(place.stateDir, 'agents', 'ops', 'sessions'), { recursive: true });
  writeFileSync(join(place.stateDir, 'agents', 'ops', 'sessions', 'sessions.json'), '{ torn');
  writeFileSync(join(place.stateDir, 'openbot.json'), '{}');
  const next = await place.run('status');
  expect(next.stdout).toMatch(/✗ sessions of ops: /);
  expect(next.stdout).toContain('agent:main:main');
});

it('nothing at all: no folder is made', async () => {
  const place = makePlace();
  const gone = join(place.home, 'gone');
  const { code, stdout } = await place.run('status', '--state-dir', gone);
  expect([code, stdout]).toEqual([0, expect.stringContaining('does not exist yet')]);
  expect(existsSync(gone)).toBe(false);
});

it.skipIf(noTerminal !== undefined)(`fits a narrow terminal ${noTerminal ?? ''}`, async () => {
  const place = makePlace({
    ...STORE,
    'agent:main:telegram:group:alonelive': { sessionId: 'b', updatedAt: 1 },
  });
  const { text } = await startInTerminal([process.execPath, ...COMMAND, 'status'], {
    cwd: place.home,
    env: { ...place.env, COLUMNS: '40' },
  }).ended;
  const lines = screenOf(text, 200);
  expect(lines.filter((line) => line.trimEnd().length > 40)).toEqual([]);
  expect(lines.join('\n')).toContain('75%');
  expect(lines.join('\n')).toMatch(/^main .*75%/m);
  expect(lines.join('\n')).toMatch(/^tel.*lonelive/m);
});
