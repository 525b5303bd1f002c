import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import type { Precomputed } from '../../src/mcp/mcp-options.ts';
import { PRECOMPUTED_VARIABLE, readPrecomputed, writePrecomputed } from '../../src/mcp/precomputed.ts';
import { serveMcp } from '../../src/mcp/serve-mcp.ts';
import { listMcpToolNames, mcpServerConfigFor } from '../../src/mcp/server-config.ts';
import { makeSession, NOW } from '../project-status/discovered.ts';
import { makeStatus } from '../select/project.ts';
import { keepInDatabase, keepInFiles, talk } from './conversations.ts';
import { callerOf, type Loose, makeMcpHome, openClient } from './mcp-home.ts';

const BIN = join(import.meta.dirname, 'mcp-child.ts');
const nodeArguments = ['--conditions=openbot-source'];
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  },
};
const CALL = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'openclaw_session_list', arguments: {} },
};

function configure(
  home: ReturnType<typeof makeMcpHome>,
  own: { precomputed?: Precomputed; sessionKey?: string } = {},
) {
  const { repo, stateDir, workspace } = home;
  return mcpServerConfigFor({
    bin: BIN,
    nodeArguments,
    repoPath: repo,
    agentId: 'main',
    stateDir,
    workspace,
    ...own,
  });
}

describe('a process of its own, by the configuration for a run', () => {
  async function start(home: ReturnType<typeof makeMcpHome>, own: Parameters<typeof configure>[1] = {}) {
    const { command, args, env } = configure(home, own);
    const transport = new StdioClientTransport({
      command,
      args,
      env: { ...home.env, ...env },
      stderr: 'pipe',
    });
    let complaints = '';
    transport.stderr!.on('data', (piece: Buffer) => {
      complaints += piece.toString();
    });
    const client = await openClient(transport);
    return { call: callerOf(client), client, complaints: () => complaints };
  }

  test.each([
    ['files', keepInFiles],
    ['sqlite', keepInDatabase],
  ] as const)('all tools answer, with conversations in %s', async (storage, keep) => {
    const home = makeMcpHome();
    keep(home.stateDir, 'main', [{ key: 'agent:main:main', compose: talk(2) }]);
    home.write('state/workspace/memory/a.md', 'needle');
    const id = home.addSession(home.repo);
    const { call, complaints, client } = await start(home);
    expect((await call('openclaw_project_status')).answer.git.currentBranch).toBe('main');
    expect((await call('openclaw_session_list')).answer.sessions).toMatchObject([{ sessionId: id }]);
    expect((await call('openclaw_conversation_context')).answer.messages).toHaveLength(4);
    expect((await call('openclaw_session_info')).answer.storage).toBe(storage);
    expect((await call('openclaw_memory_search', { query: 'needle' })).answer.results).toHaveLength(1);
    expect((await call('openclaw_send_message', { text: 'x' })).text).toMatch(/^SEND_NOT_POSSIBLE/);
    await client.close();
    // Nothing is printed, not even what SQLite makes older versions of Node say.
    expect(complaints()).toBe('');
  });

  test('what was known before the run is used by it', async () => {
    const home = makeMcpHome();
    home.addSession(home.repo);
    const sessions = [makeSession({ repoPath: home.repo, firstMessage: 'known' })];
    const precomputed = { sessions, asOf: NOW.toISOString() };
    const { call } = await start(home, { precomputed });
    expect((await call('openclaw_session_list')).answer).toMatchObject({
      asOf: NOW.toISOString(),
      sessions: [{ firstMessage: 'known' }],
    });
  });

  test('the conversation is the one of the run', async () => {
    const home = makeMcpHome();
    const key = 'agent:main:telegram:dm:42';
    keepInFiles(home.stateDir, 'main', [{ key, compose: talk(1) }]);
    const { call } = await start(home, { sessionKey: key });
    expect((await call('openclaw_conversation_context')).answer.sessionKey).toBe(key);
  });

  /** Writes to the server, closes its input, and waits for its end. */
  function converse(home: ReturnType<typeof makeMcpHome>, input: string | Buffer) {
    const { command, args } = configure(home);
    const child = spawn(command, args, { env: home.env, stdio: 'pipe' });
    const chunks: Buffer[] = [];
    let errors = '';
    child.stdout.on('data', (piece: Buffer) => chunks.push(piece));
    child.stderr.on('data', (piece: Buffer) => {
      errors += piece.toString();
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    return new Promise<{ code: number | null; replies: Loose[]; errors: string }>((resolve) => {
      child.on('close', (code) => {
        const lines = Buffer.concat(chunks).toString().split('\n').filter(Boolean);
        resolve({ code, replies: lines.map((line) => JSON.parse(line)), errors });
      });
    });
  }
  const lines = (...messages: (object | string)[]) =>
    messages
      .map((message) => `${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
      .join('');

  test('answers what was asked before the input ended, then ends', async () => {
    // It asks git, so the input has ended before there is an answer.
    const ask = { ...CALL, params: { name: 'openclaw_project_status' } };
    const { code, replies, errors } = await converse(makeMcpHome(), lines(INITIALIZE, ask));
    expect([code, errors]).toEqual([0, '']);
    expect(replies.map(({ id }) => id)).toEqual([1, 2]);
    expect(replies[1].result.structuredContent.git.currentBranch).toBe('main');
  });

  test('ends quietly when nobody asks anything', async () => {
    expect(await converse(makeMcpHome(), '')).toEqual({ code: 0, replies: [], errors: '' });
  });

  test('survives lines that are no messages, and answers those that are', async () => {
    const rubbish = [
      'no json',
      '[]',
      '7',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"openclaw_session_list","arguments":[1]}}',
      '{"jsonrpc":"2.0","id":10,"method":"tools/call"}',
      '{"jsonrpc":"2.0","id":11,"method":"no/such"}',
      '\u0000\u0000',
    ];
    const { code, replies } = await converse(makeMcpHome(), lines(INITIALIZE, ...rubbish, CALL));
    expect(code).toBe(0);
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    expect(byId.get(2).result.isError).toBeUndefined();
    for (const id of [9, 10, 11]) expect(byId.get(id).error.code).toBeLessThan(0);
  });

  test('a client that does not wait for the answer leaves no stack trace', async () => {
    const home = makeMcpHome();
    const { command, args } = configure(home);
    const child = spawn(command, args, { env: home.env, stdio: 'pipe' });
    let errors = '';
    child.stderr.on('data', (piece: Buffer) => {
      errors += piece.toString();
    });
    child.stdout.destroy();
    child.stdin.write(lines(INITIALIZE, CALL));
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(0);
    expect(errors).not.toMatch(/\n\s+at /);
  });
});

test('streams of the caller serve as well, and closing ends it', async () => {
  const { options } = makeMcpHome();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const serving = await serveMcp({ ...options, stdin, stdout });
  stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  const reply = await new Promise<Buffer>((resolve) => stdout.once('data', resolve));
  expect(JSON.parse(reply.toString()).result.serverInfo.name).toBe('openbot');
  await serving.close();
  await serving.closed;
});

describe('the configuration for a run', () => {
  test('names only what was given, each in one word', () => {
    expect(mcpServerConfigFor({ bin: '/bin/openbot.js', repoPath: '/r', node: '/node' })).toEqual({
      type: 'stdio',
      command: '/node',
      args: ['/bin/openbot.js', 'mcp', '--repo=/r'],
      env: {},
      alwaysLoad: true,
    });
    const full = mcpServerConfigFor({
      bin: 'b',
      repoPath: '-r',
      agentId: 'a',
      stateDir: '/s s',
      workspace: '/w',
      sessionKey: 'k',
    });
    expect(full.command).toBe(process.execPath);
    expect(full.args.slice(2)).toEqual([
      '--repo=-r',
      '--agent=a',
      '--state-dir=/s s',
      '--workspace=/w',
      '--session=k',
    ]);
  });

  test('tools are named as Claude Code names them', () => {
    expect(listMcpToolNames({ readOnly: false })).toHaveLength(6);
    expect(listMcpToolNames({ readOnly: true })).toEqual([
      'mcp__openbot__openclaw_project_status',
      'mcp__openbot__openclaw_session_list',
      'mcp__openbot__openclaw_conversation_context',
      'mcp__openbot__openclaw_session_info',
      'mcp__openbot__openclaw_memory_search',
    ]);
  });

  const pass = (precomputed: Precomputed) =>
    readPrecomputed({ [PRECOMPUTED_VARIABLE]: writePrecomputed(precomputed) });

  test('what is known comes through unchanged', () => {
    const sessions = [makeSession({ label: 'x', totalCostUsd: 0.5 }), makeSession({ sessionId: 'b' })];
    const asOf = NOW.toISOString();
    const ofOtherAgents = { count: 0, running: 0 };
    expect(pass({ sessions, asOf })).toEqual({ sessions, asOf, sessionsLeftOut: 0, ofOtherAgents });
    expect(pass({})).toEqual({});
    expect(pass({ sessions: [], asOf })).toEqual({ sessions: [], asOf, sessionsLeftOut: 0, ofOtherAgents });
  });

  test('too much is cut to what a variable may hold, and counted', () => {
    const sessions = Array.from({ length: 5000 }, (_, at) => makeSession({ sessionId: `s-${at}` }));
    const text = writePrecomputed({ sessions, asOf: NOW.toISOString(), sessionsLeftOut: 3 });
    expect(text.length).toBeLessThanOrEqual(24_000);
    const known = readPrecomputed({ [PRECOMPUTED_VARIABLE]: text });
    expect(known.sessions!.length).toBeGreaterThan(20);
    expect(known.sessions).toEqual(sessions.slice(0, known.sessions!.length));
    expect(known.sessionsLeftOut).toBe(5003 - known.sessions!.length);
    const giant = [makeSession({ firstMessage: 'x'.repeat(50_000) })];
    expect(pass({ sessions: giant }).sessions![0]!.firstMessage).toHaveLength(200);
  });

  test('only what the tools would tell stands in a configuration, which others can read', () => {
    const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
    const sessions = [
      makeSession({ sessionId: 'own', firstMessage: `use ${secret}`, lastTask: secret, label: secret }),
      makeSession({ sessionId: 'elsewhere', cwd: '/private/worktree' }),
      makeSession({ sessionId: 'foreign', agentId: 'work', firstMessage: 'classified', isRunning: true }),
    ];
    const git = { ...makeStatus().git, headCommitMessage: `revoke ${secret}` };
    const status = makeStatus({
      git,
      sessions: { active: sessions, recent: sessions, ownRecent: [], total: 3 },
    });
    const options = { bin: 'b', repoPath: '/repo', agentId: 'Main' };
    const config = mcpServerConfigFor({ ...options, precomputed: { sessions, status } });
    expect(JSON.stringify(config.env)).not.toMatch(/klmnopqrstuvwxyz|classified|foreign|work|private/);
    const known = readPrecomputed(config.env);
    expect(known.sessions!.map(({ sessionId }) => sessionId)).toEqual(['own', 'elsewhere']);
    expect(known.ofOtherAgents).toEqual({ count: 1, running: 1 });
    expect(known.status!.sessions.active).toEqual(known.sessions);
  });

  test.each([
    ['nothing', ''],
    ['no JSON', '{"version":1,'],
    ['another version', '{"version":2,"sessions":[]}'],
    ['a list', '[]'],
    ['sessions that are none', '{"version":1,"sessions":[{"sessionId":7}]}'],
    ['a status that is none', '{"version":1,"status":{"repo":{}}}'],
  ])('%s is as if nothing were known', (_name, text) => {
    expect(readPrecomputed({ [PRECOMPUTED_VARIABLE]: text })).toEqual({});
    expect(readPrecomputed({})).toEqual({});
  });
});
