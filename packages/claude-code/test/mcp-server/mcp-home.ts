import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { type ServeOptions, serveMcp } from '../../src/mcp-server/serve-mcp.ts';
import { makeHome } from '../discover/claude-home.ts';
import { makeRepo } from '../repo/git.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field, and the client checked them
export type Loose = any;

export interface ToolReply {
  readonly isError: boolean;
  readonly text: string;
  /** The typed answer; the client has checked it against the tool's schema. */
  readonly answer: Loose;
}
export type CallTool = (name: string, input?: Record<string, unknown>) => Promise<ToolReply>;

/** A repository, a Claude Code with sessions, a state folder and a workspace, all in one temp folder. */
export function makeMcpHome() {
  const home = makeHome();
  const repo = home.makeFolder('repo');
  makeRepo(repo);
  const workspace = home.makeFolder('state', 'workspace');
  const env = { ...home.env, PATH: process.env.PATH ?? '' };
  const options = { repoPath: repo, stateDir: home.stateDir, env };
  const connect = (own: Partial<ServeOptions> = {}) => connectTo({ ...options, ...own });
  const write = (path: string, text: string) => {
    const full = join(home.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  return { ...home, repo, workspace, env, options, connect, write };
}

/** A client on a server in this process. */
async function connectTo(options: ServeOptions): Promise<CallTool> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await serveMcp({ ...options, transport: there });
  const client = await openClient(here);
  return callerOf(client);
}

export async function openClient(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  afterTest(() => client.close());
  await client.connect(transport);
  // From now on the client checks every answer against the schema of its tool.
  await client.listTools();
  return client;
}

export function callerOf(client: Client): CallTool {
  return async (name, input = {}) => {
    const result = await client.callTool({ name, arguments: input });
    const [block] = result.content as { type: string; text: string }[];
    const text = block?.text ?? '';
    const answer = result.structuredContent;
    if (answer !== undefined && JSON.stringify(answer) !== text) throw new Error('text and answer differ');
    return { isError: result.isError === true, text, answer };
  };
}
