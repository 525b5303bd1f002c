import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import { serveMcp } from '../../src/mcp-server/serve-mcp.ts';
import { keepInDatabase, keepInFiles, talk } from '../mcp-tools/conversations.ts';
import { callerOf, type Loose, makeMcpHome, openClient } from './mcp-home.ts';

const BIN = programOf(import.meta.dirname, 'mcp-child.ts');
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

function configure({ repo, stateDir, workspace }: ReturnType<typeof makeMcpHome>, ...more: string[]) {
  const flags = [`--repo=${repo}`, '--agent=main', `--state-dir=${stateDir}`, `--workspace=${workspace}`];
  return { command: process.execPath, args: [BIN, 'mcp', ...flags, ...more] };
}

describe('a process of its own', () => {
  async function start(home: ReturnType<typeof makeMcpHome>, ...more: string[]) {
    const transport = new StdioClientTransport({
      ...configure(home, ...more),
      env: { ...home.env, NODE_COMPILE_CACHE: inject('compiled') },
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

  test('the conversation is the one of the run', async () => {
    const home = makeMcpHome();
    const key = 'agent:main:telegram:dm:42';
    keepInFiles(home.stateDir, 'main', [{ key, compose: talk(1) }]);
    const { call } = await start(home, `--session=${key}`);
    expect((await call('openclaw_conversation_context')).answer.sessionKey).toBe(key);
  });

  /** Writes to the server, closes its input, and waits for its end. */
  function converse(home: ReturnType<typeof makeMcpHome>, input: string | Buffer) {
    const { command, args } = configure(home);
    const child = spawn(command, args, {
      env: { ...home.env, NODE_COMPILE_CACHE: inject('compiled') },
      stdio: 'pipe',
    });
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

  test('ends quietly when no request arrives', LONG, async () => {
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

  test('a client that does not wait for the answer leaves no stack trace', LONG, async () => {
    const home = makeMcpHome();
    const { command, args } = configure(home);
    const child = spawn(command, args, {
      env: { ...home.env, NODE_COMPILE_CACHE: inject('compiled') },
      stdio: 'pipe',
    });
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

describe('a call that never ends', () => {
  afterEach(() => void vi.useRealTimers());

  test('is given up two minutes after its client has left', async () => {
    const { options } = makeMcpHome();
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const asked = Promise.withResolvers<void>();
    const errors: Error[] = [];
    const sendMessage = () => {
      asked.resolve();
      return new Promise<void>(() => {});
    };
    const serving = await serveMcp({
      ...options,
      stdin,
      stdout,
      sendMessage,
      onError: (e) => errors.push(e),
    });
    let isClosed = false;
    void serving.closed.then(() => (isClosed = true));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const send = { ...CALL, params: { name: 'openclaw_send_message', arguments: { text: 'hello' } } };
    stdin.end(`${JSON.stringify(INITIALIZE)}\n${JSON.stringify(send)}\n`);
    stdout.resume();
    await asked.promise;
    while (vi.getTimerCount() === 0) await new Promise(setImmediate);
    vi.advanceTimersByTime(119_999);
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    vi.advanceTimersByTime(1);
    await serving.closed;
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining('did not end')]);
  });
});
