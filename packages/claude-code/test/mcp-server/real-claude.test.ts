/** The real Claude Code calls the tools: those of the process that runs it, and those of a server that it starts itself. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { query, type SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ClaudeHome,
  findClaudeBinary,
  makeClaudeHome,
  runClaude,
} from '../../../../test/imitations/claude-binary.ts';
import { type MessagesApi, startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import {
  blocksOf,
  call,
  type MessagesRequest,
  say,
  type ToolResultBlock,
} from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import { type AttachedTools, attachTools } from '../../src/mcp-server/attach-tools.ts';
import type { McpOptions, OutgoingMessage } from '../../src/mcp-tools/scope.ts';
import { listMcpToolNames, MCP_SERVER_NAME, type McpToolName } from '../../src/mcp-tools/tool.ts';
import { keepInFiles, talk } from '../mcp-tools/conversations.ts';
import { makeSession } from '../project-status/discovered.ts';
import { makeRepo } from '../repo/git.ts';
import type { Loose } from './mcp-home.ts';

const binary = findClaudeBinary();
const missing = 'missing' in binary ? binary.missing : undefined;
const EARLIER = '22222222-2222-4222-8222-222222222222';
const TASK = '[openclaw:agent=main]\n\nGo on.';
const ALL_TOOLS = listMcpToolNames();
const MAIN = 'agent:main:main';
const nameOf = (tool: McpToolName) => `mcp__${MCP_SERVER_NAME}__${tool}`;

describe.skipIf(missing !== undefined)(`the real Claude Code ${missing ?? ''}`, () => {
  let api: MessagesApi;
  let home: ClaudeHome;
  let stateDir: string;
  beforeAll(async () => {
    api = await startMessagesApi({ replies: [] });
    home = await makeClaudeHome(api.url);
    makeRepo(home.cwd);
    stateDir = join(home.root, 'state');
    keepInFiles(stateDir, 'main', [{ key: MAIN, compose: talk(1, 'please paint the shed') }]);
    mkdirSync(join(stateDir, 'workspace', 'memory'), { recursive: true });
    writeFileSync(join(stateDir, 'workspace', 'memory', 'paint.md'), 'The shed is to be green.');
    const earlier = {
      ...{ type: 'user', uuid: 'u1', parentUuid: null, sessionId: EARLIER, cwd: home.cwd, gitBranch: 'main' },
      message: { role: 'user', content: '[openclaw:agent=main]\n\nbuy a brush' },
    };
    mkdirSync(home.projectFolder, { recursive: true });
    writeFileSync(home.transcriptPath(EARLIER), `${JSON.stringify(earlier)}\n`);
  });
  beforeEach(() => api.forget());
  afterAll(async () => {
    await api?.close();
    await home?.remove();
  });

  /** The model makes these calls, one in each answer, and then says that it is done. */
  function script(calls: readonly [tool: McpToolName, input: Record<string, unknown>][]): void {
    api.setReplies((request) => {
      if (!isOfRun(request)) return { blocks: [say('A title.')] };
      const count = resultsIn(request).length;
      const next = calls[count];
      return {
        blocks: [next === undefined ? say('Thank you.') : call(`toolu_${count}`, nameOf(next[0]), next[1])],
      };
    });
  }
  const requestsOfRun = () => api.conversations.filter(isOfRun);
  /** What the model got for its calls, in their order. */
  const results = () => resultsIn(requestsOfRun().at(-1)!);

  async function attach(own: Partial<McpOptions> = {}) {
    const errors: Error[] = [];
    const onError = (error: Error) => errors.push(error);
    const attached = await attachTools({ repoPath: home.cwd, stateDir, env: home.env, onError, ...own });
    return { attached, errors };
  }

  /** A run of the Agent SDK with these tools. Whatever is not allowed is denied and noted. */
  async function run({ servers, allowed }: AttachedTools, sessionId: string = randomUUID()) {
    const messages: SDKMessage[] = [];
    const asked: string[] = [];
    const running = query({
      prompt: TASK,
      options: {
        cwd: home.cwd,
        env: { ...home.env },
        sessionId,
        settingSources: [],
        strictMcpConfig: true,
        mcpServers: servers as never,
        settings: { permissions: { allow: [...allowed] } },
        canUseTool: async (name) => {
          asked.push(name);
          return { behavior: 'deny', message: 'It was not allowed.' };
        },
      },
    });
    for await (const message of running) messages.push(message);
    return { asked, result: messages.find((message) => message.type === 'result') as Loose };
  }

  test('is offered the tools of this process at once and given their answers', async () => {
    const sessionId = randomUUID();
    const sent: OutgoingMessage[] = [];
    const { attached, errors } = await attach({
      runSessionId: sessionId,
      sessionKey: MAIN,
      sendMessage: async (message) => sent.push(message),
    });
    script([
      ['openclaw_project_status', {}],
      ['openclaw_session_list', {}],
      ['openclaw_conversation_context', {}],
      ['openclaw_session_info', {}],
      ['openclaw_memory_search', { query: 'shed' }],
      ['openclaw_send_message', { text: 'The shed is green.' }],
    ]);
    const { asked, result } = await run(attached, sessionId);
    expect(result).toMatchObject({ is_error: false, result: 'Thank you.' });
    expect([asked, errors]).toEqual([[], []]);
    const offered = requestsOfRun()[0]!.tools!.map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(ALL_TOOLS));
    expect(results().map(({ isError }) => isError)).toEqual(Array(6).fill(false));
    const [status, list, context, info, memory, message] = results().map(({ text }) => JSON.parse(text));
    expect(status.git.currentBranch).toBe('main');
    expect(status.sessions.active).toMatchObject([{ sessionId, isThisRun: true }]);
    expect(list.sessions).toMatchObject([
      { sessionId, isRunning: true, isOwn: true, isThisRun: true },
      { sessionId: EARLIER, isRunning: false, isOwn: true, firstMessage: 'buy a brush' },
    ]);
    expect(context.messages[0].text).toContain('please paint the shed 1');
    expect(info).toMatchObject({ agentId: 'main', sessionKey: MAIN });
    expect(memory.results).toMatchObject([{ snippet: 'The shed is to be green.' }]);
    expect(message).toMatchObject({ isSent: true });
    expect(sent).toEqual([{ text: 'The shed is green.', agentId: 'main', sessionKey: MAIN }]);
  });

  test('is given what was known before the run', LONG, async () => {
    const sessions = [makeSession({ sessionId: EARLIER, repoPath: home.cwd, firstMessage: 'known' })];
    const asOf = new Date().toISOString();
    const { attached } = await attach({ precomputed: { sessions, asOf } });
    script([['openclaw_session_list', {}]]);
    await run(attached);
    expect(JSON.parse(results()[0]!.text)).toMatchObject({ asOf, sessions: [{ firstMessage: 'known' }] });
  });

  test('learns that a message could not be sent', LONG, async () => {
    const { attached, errors } = await attach({
      sendMessage: async () => {
        throw new Error('The line is dead');
      },
    });
    script([['openclaw_send_message', { text: 'hello' }]]);
    expect((await run(attached)).result.result).toBe('Thank you.');
    expect(results()).toEqual([{ isError: true, text: 'The line is dead' }]);
    expect(errors).toEqual([]);
  });

  test('asks before it sends what cannot be received', LONG, async () => {
    const { attached } = await attach();
    script([['openclaw_send_message', { text: 'hello' }]]);
    expect((await run(attached)).asked).toEqual([nameOf('openclaw_send_message')]);
  });

  test('works on where the tools cannot be', LONG, async () => {
    const { attached, errors } = await attach({ sessionKey: 'agent:other:main' });
    script([]);
    expect((await run(attached)).result.result).toBe('Thank you.');
    expect(errors).toMatchObject([{ code: 'AGENT_MISMATCH' }]);
  });

  test('asks before it reads a conversation that the run was not started for', LONG, async () => {
    const { attached } = await attach();
    script([
      ['openclaw_conversation_context', {}],
      ['openclaw_session_info', {}],
      ['openclaw_memory_search', { query: 'shed' }],
    ]);
    const { asked } = await run(attached);
    expect(asked).toEqual([nameOf('openclaw_conversation_context'), nameOf('openclaw_session_info')]);
    expect(JSON.stringify(results())).not.toContain('please paint the shed');
  });

  test('one attachment serves several runs', LONG, async () => {
    const { attached } = await attach({ sessionKey: MAIN });
    script([['openclaw_session_info', {}]]);
    for (const _ of [1, 2]) {
      await run(attached);
      expect(results()[0]!.isError).toBe(false);
    }
    expect(requestsOfRun()).toHaveLength(4);
  });

  test('uses a server that it starts itself', LONG, async () => {
    script([
      ['openclaw_session_list', {}],
      ['openclaw_conversation_context', {}],
    ]);
    const server = {
      command: process.execPath,
      args: [
        programOf(import.meta.dirname, 'mcp-child.ts'),
        'mcp',
        `--repo=${home.cwd}`,
        `--state-dir=${stateDir}`,
      ],
      // Claude Code waits for it, however slow this machine is.
      alwaysLoad: true,
    };
    const { exitCode, result } = await runClaude('path' in binary ? binary.path : '', home, TASK, {
      extraArguments: ['--mcp-config', JSON.stringify({ mcpServers: { [MCP_SERVER_NAME]: server } })],
      allowedTools: listMcpToolNames({ except: ['openclaw_send_message'] }),
    });
    expect([exitCode, result?.result]).toEqual([0, 'Thank you.']);
    const offered = requestsOfRun()
      .at(-1)!
      .tools!.map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(ALL_TOOLS));
    expect(results()[0]!.text).toContain(EARLIER);
    expect(results()[1]!.text).toContain('please paint the shed 1');
  });
});

/** Not one of those by which Claude Code finds a title and the like. */
function isOfRun({ tools = [] }: MessagesRequest): boolean {
  return tools.length > 0;
}

function resultsIn({ messages }: MessagesRequest): { isError: boolean; text: string }[] {
  return messages
    .flatMap(blocksOf)
    .filter((block): block is ToolResultBlock => block.type === 'tool_result')
    .map(({ content = '', is_error: isError = false }) => {
      const blocks = typeof content === 'string' ? [say(content)] : content;
      return { isError, text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join('') };
    });
}
