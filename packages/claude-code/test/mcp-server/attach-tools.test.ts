import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { type AttachedTools, attachTools } from '../../src/mcp-server/attach-tools.ts';
import type { ServerOptions } from '../../src/mcp-server/serve-mcp.ts';
import { MCP_TOOL_NAMES } from '../../src/mcp-tools/tool.ts';
import { callerOf, makeMcpHome, openClient } from './mcp-home.ts';

const LOOKING = [
  'mcp__openbot__openclaw_project_status',
  'mcp__openbot__openclaw_session_list',
  'mcp__openbot__openclaw_memory_search',
];
const OF_CONVERSATIONS = [
  'mcp__openbot__openclaw_conversation_context',
  'mcp__openbot__openclaw_session_info',
];
const SENDING = 'mcp__openbot__openclaw_send_message';

/** As the Agent SDK connects to a server of this process. */
async function connectTo({ servers }: AttachedTools) {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await servers.openbot!.instance.connect(there);
  return openClient(here);
}

describe('tools for a run of this process', () => {
  test('are one server, whose looking tools need no question', async () => {
    const { options } = makeMcpHome();
    const { servers, allowed } = await attachTools(options);
    expect(servers).toMatchObject({ openbot: { type: 'sdk', name: 'openbot' } });
    expect(Object.keys(servers)).toEqual(['openbot']);
    expect(allowed).toEqual(LOOKING);
  });

  test.each([undefined, '', ' '])(
    'started for no conversation (%j), reading one is a question',
    async (sessionKey) => {
      const { options } = makeMcpHome();
      const { allowed } = await attachTools({ ...options, sessionKey });
      expect(allowed).toEqual(LOOKING);
    },
  );

  test('reading the conversation that it was started for needs no permission', async () => {
    const { options } = makeMcpHome();
    const { allowed } = await attachTools({ ...options, sessionKey: 'agent:main:main' });
    expect([...allowed].sort()).toEqual([...LOOKING, ...OF_CONVERSATIONS].sort());
  });

  test('a message needs no question where it can be sent', async () => {
    const { options } = makeMcpHome();
    const { allowed } = await attachTools({ ...options, sendMessage: async () => {} });
    expect(allowed).toEqual([...LOOKING, SENDING]);
  });

  test('are all to be offered at once, without a search', async () => {
    const { options } = makeMcpHome();
    const client = await connectTo(await attachTools({ ...options, version: '1.2.3' }));
    expect(client.getServerVersion()).toMatchObject({ name: 'openbot', version: '1.2.3' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...MCP_TOOL_NAMES]);
    for (const { _meta } of tools) expect(_meta).toEqual({ 'anthropic/alwaysLoad': true });
  });

  test('name the version of this package unless another one is given', async () => {
    const { options } = makeMcpHome();
    const client = await connectTo(await attachTools(options));
    expect(client.getServerVersion()?.version).toBe(manifest.version);
  });

  test('serve several at once, each until it leaves', async () => {
    const { options } = makeMcpHome();
    const attached = await attachTools(options);
    const [one, other] = [await connectTo(attached), await connectTo(attached)];
    const ask = 'openclaw_session_list';
    for (const client of [one, other]) expect((await callerOf(client)(ask)).isError).toBe(false);
    await one.close();
    expect((await callerOf(other)(ask)).isError).toBe(false);
  });

  test('closing leaves those that are connected, and may be done again', async () => {
    const { options } = makeMcpHome();
    const attached = await attachTools(options);
    const clients = [await connectTo(attached), await connectTo(attached)];
    const left = clients.map((client) => new Promise<void>((resolve) => (client.onclose = resolve)));
    await attached.close();
    await Promise.all(left);
    await attached.close();
    await expect(clients[0]!.listTools()).rejects.toThrow();
  });

  test('a call whose asker is gone ends quietly', async () => {
    const { options } = makeMcpHome();
    const errors: Error[] = [];
    const [asked, sending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sendMessage = () => {
      asked.resolve();
      return sending.promise;
    };
    const attached = await attachTools({ ...options, sendMessage, onError: (error) => errors.push(error) });
    const client = await connectTo(attached);
    const call = callerOf(client)('openclaw_send_message', { text: 'hello' });
    const refused = expect(call).rejects.toThrow();
    await asked.promise;
    await client.close();
    await refused;
    sending.reject(new Error('too late'));
    await new Promise(setImmediate);
    expect(errors).toEqual([]);
  });
});

describe('where there can be no tools', () => {
  test.each<[string, string, Partial<ServerOptions>]>([
    ['the repository is gone', 'REPO_NOT_FOUND', { repoPath: '/there/is/no/such/folder' }],
    ['the agent cannot be', 'PATH_ESCAPES_FOLDER', { agentId: '../else' }],
    ['the conversation is another agent’s', 'AGENT_MISMATCH', { sessionKey: 'agent:work:main' }],
  ])('nothing is thrown: %s', async (_name, code, own) => {
    const { options } = makeMcpHome();
    const errors: Error[] = [];
    const attached = await attachTools({ ...options, ...own, onError: (error) => errors.push(error) });
    expect(attached).toMatchObject({ servers: {}, allowed: [] });
    expect(Object.keys(attached.servers)).toEqual([]);
    expect(errors).toMatchObject([{ code }]);
    await attached.close();
    expect((await attachTools({ ...options, ...own })).servers).toEqual({});
  });

  test('a failed connection is reported and refused', async () => {
    const { options } = makeMcpHome();
    const errors: Error[] = [];
    const { servers } = await attachTools({ ...options, onError: (error) => errors.push(error) });
    const [, broken] = InMemoryTransport.createLinkedPair();
    broken.start = async () => {
      throw new Error('no line');
    };
    await expect(servers.openbot!.instance.connect(broken)).rejects.toThrow('no line');
    expect(errors).toMatchObject([{ message: 'no line' }]);
  });
});
