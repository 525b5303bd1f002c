import { readFileSync } from 'node:fs';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, test } from 'vitest';
import { serveMcp } from '../../src/mcp-server/serve-mcp.ts';
import { MCP_TOOL_NAMES } from '../../src/mcp-tools/tool.ts';
import { makeMcpHome, openClient } from './mcp-home.ts';

describe('the tools', () => {
  test('are announced with what they take and give', async () => {
    const { options } = makeMcpHome();
    const [here, there] = InMemoryTransport.createLinkedPair();
    await serveMcp({ ...options, transport: there, version: '1.2.3' });
    const client = await openClient(here);
    expect(client.getServerVersion()).toMatchObject({ name: 'openbot', version: '1.2.3' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...MCP_TOOL_NAMES]);
    for (const tool of tools) {
      expect(tool.description!.length).toBeGreaterThan(40);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
    }
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint === false)).toMatchObject([
      { name: 'openclaw_send_message' },
    ]);
    expect(tools.find(({ name }) => name === 'openclaw_project_status')!.inputSchema.properties).toEqual({});
    expect(tools.find(({ name }) => name === 'openclaw_session_list')!.inputSchema.properties).toMatchObject({
      include_native: { type: 'boolean', default: true },
    });
  });

  test.each([
    ['openclaw_project_status', { path: '/etc' }],
    ['openclaw_session_list', { include_native: 'yes' }],
    ['openclaw_session_list', { include_native: null }],
    ['openclaw_session_list', { repo: '/etc' }],
    ['openclaw_conversation_context', { max_messages: 0 }],
    ['openclaw_conversation_context', { max_messages: 1.5 }],
    ['openclaw_conversation_context', { max_messages: 1e9 }],
    ['openclaw_conversation_context', { session_key: 7 }],
    ['openclaw_conversation_context', { session_key: '' }],
    ['openclaw_session_info', { session_key: 'x'.repeat(10_000) }],
    ['openclaw_session_info', { session_key: ['agent:main:main'] }],
    ['openclaw_memory_search', {}],
    ['openclaw_memory_search', { query: ' \n' }],
    ['openclaw_memory_search', { query: 'x'.repeat(501) }],
    ['openclaw_memory_search', { query: 'x', max_results: -1 }],
    ['openclaw_memory_search', { query: { $ne: '' } }],
    ['openclaw_send_message', { text: '' }],
    ['openclaw_send_message', { text: 'x'.repeat(4001) }],
    ['openclaw_send_message', { text: 'x', to: 'somebody' }],
  ])('%s refuses %j', async (name, input) => {
    const { connect } = makeMcpHome();
    let sent = 0;
    const call = await connect({ sendMessage: async () => sent++ });
    const { isError, text, answer } = await call(name, input);
    expect(isError).toBe(true);
    expect(text).toMatch(/^INVALID_ARGUMENT: /);
    expect(text.length).toBeLessThanOrEqual(1000);
    expect(answer).toBeUndefined();
    expect(sent).toBe(0);
  });

  test('what is wrong is said, and what would be right', async () => {
    const { connect } = makeMcpHome();
    const call = await connect();
    expect((await call('openclaw_memory_search', { quer: 'x' })).text).toBe(
      "INVALID_ARGUMENT: the input must have required property 'query', the input must NOT have additional properties\n" +
        'Hint: The tool takes: query, file, max_results.',
    );
    expect((await call('openclaw_project_status', { a: 1 })).text).toMatch(
      /Hint: The tool takes no input\.$/,
    );
  });

  test('an unknown tool is a tool error that names those there are', async () => {
    const { connect } = makeMcpHome();
    const call = await connect();
    for (const name of ['openclaw_rm', '', '__proto__', 'constructor', 'x'.repeat(10_000)]) {
      const { isError, text } = await call(name);
      expect(isError).toBe(true);
      expect(text).toContain('openclaw_session_list');
    }
    expect((await call('openclaw_session_list')).isError).toBe(false);
  });
});

describe('openclaw_send_message', () => {
  test('passes the text to the program that delivers it', async () => {
    const { connect } = makeMcpHome();
    const sent: unknown[] = [];
    const sendMessage = async (message: unknown) => void sent.push(message);
    const call = await connect({ sendMessage, sessionKey: 'agent:main:telegram:direct:42' });
    const { answer } = await call('openclaw_send_message', { text: 'Done 😀' });
    expect(answer).toEqual({
      isSent: true,
      characters: 6,
      sessionKey: 'agent:main:telegram:dm:42',
      leftOut: [],
    });
    expect(sent).toEqual([{ text: 'Done 😀', agentId: 'main', sessionKey: 'agent:main:telegram:dm:42' }]);
  });

  test('refuses clearly where no program delivers messages', async () => {
    const { connect } = makeMcpHome();
    const { isError, text } = await (await connect())('openclaw_send_message', { text: 'hello' });
    expect(isError).toBe(true);
    expect(text).toMatch(/^SEND_NOT_POSSIBLE: .*\nHint: /);
  });

  test('says why a message was not delivered, without secrets', async () => {
    const { connect } = makeMcpHome();
    for (const [fault, said] of [
      [new Error('refused: https://bot:sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789@host'), /^refused/],
      ['no object', /^no object$/],
      [undefined, /^undefined$/],
    ] as const) {
      const call = await connect({ sendMessage: () => Promise.reject(fault) });
      const { isError, text } = await call('openclaw_send_message', { text: 'hello' });
      expect(isError).toBe(true);
      expect(text).toMatch(said);
      expect(text).not.toContain('klmnopqrstuvwxyz');
    }
  });
});

describe('a server that cannot be', () => {
  test.each([
    ['no such repository', { repoPath: '/nowhere/at/all' }, 'REPO_NOT_FOUND'],
    ['an agent that is a path', { agentId: '../main' }, 'PATH_ESCAPES_FOLDER'],
    ['a conversation of another agent', { sessionKey: 'agent:work:main' }, 'AGENT_MISMATCH'],
    ['a conversation of no form', { sessionKey: 'agent:../x:main' }, 'INVALID_SESSION_KEY'],
  ])('%s', async (_name, own, code) => {
    const { options } = makeMcpHome();
    const [, there] = InMemoryTransport.createLinkedPair();
    await expect(serveMcp({ ...options, ...own, transport: there })).rejects.toMatchObject({ code });
  });
});

test.each([
  ['a file that is not there', () => readFileSync('/missing/claude-code/work/sessions.json')],
  ['a file that is no JSON', () => JSON.parse('{"classified')],
])('%s is reported without its path and content', async (_name, fail) => {
  const { connect } = makeMcpHome();
  const call = await connect({ sendMessage: async () => fail() });
  const { isError, text } = await call('openclaw_send_message', { text: 'x' });
  expect(isError).toBe(true);
  expect(text).not.toBe('');
  expect(text).not.toMatch(/work|classified/);
});
