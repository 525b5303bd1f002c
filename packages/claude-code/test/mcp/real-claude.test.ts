/** The real Claude Code calls tools of the server that it starts itself. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ClaudeHome,
  findClaudeBinary,
  makeClaudeHome,
  runClaude,
} from '../../../../test/imitations/claude-binary.ts';
import { type MessagesApi, startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import { call, say } from '../../../../test/imitations/messages-format.ts';
import { listMcpToolNames, MCP_SERVER_NAME, mcpServerConfigFor } from '../../src/mcp/server-config.ts';
import { makeRepo } from '../repo/git.ts';
import { keepInFiles, talk } from './conversations.ts';

const binary = findClaudeBinary();
const missing = 'missing' in binary ? binary.missing : undefined;
const EARLIER = '22222222-2222-4222-8222-222222222222';
const PREFIX = `mcp__${MCP_SERVER_NAME}__`;

describe.skipIf(missing !== undefined)(`the real Claude Code ${missing ?? ''}`, () => {
  let api: MessagesApi;
  let home: ClaudeHome;
  beforeAll(async () => {
    api = await startMessagesApi({ replies: [] });
    home = await makeClaudeHome(api.url);
  });
  afterAll(async () => {
    await api?.close();
    await home?.remove();
  });

  test('sees the tools and is given their answers', async () => {
    makeRepo(home.cwd);
    const stateDir = join(home.root, 'state');
    keepInFiles(stateDir, 'main', [{ key: 'agent:main:main', compose: talk(1, 'please paint the shed') }]);
    const earlier = {
      ...{ type: 'user', uuid: 'u1', parentUuid: null, sessionId: EARLIER, cwd: home.cwd, gitBranch: 'main' },
      message: { role: 'user', content: '[openclaw:agent=main]\n\nbuy a brush' },
    };
    mkdirSync(home.projectFolder, { recursive: true });
    writeFileSync(home.transcriptPath(EARLIER), `${JSON.stringify(earlier)}\n`);
    const server = mcpServerConfigFor({
      bin: join(import.meta.dirname, 'mcp-child.ts'),
      nodeArguments: ['--conditions=openbot-source'],
      repoPath: home.cwd,
      stateDir,
    });
    api.setReplies((request, count) => {
      if (!request.tools?.some(({ name }) => name === `${PREFIX}openclaw_session_list`))
        return { blocks: [say('A title.')] };
      const results = JSON.stringify(request.messages).split('"tool_result"').length - 1;
      if (results === 0) return { blocks: [call(`toolu_a${count}`, `${PREFIX}openclaw_session_list`, {})] };
      if (results === 1)
        return { blocks: [call(`toolu_b${count}`, `${PREFIX}openclaw_conversation_context`, {})] };
      return { blocks: [say('Thank you.')] };
    });
    const run = await runClaude(
      'path' in binary ? binary.path : '',
      home,
      '[openclaw:agent=main]\n\nGo on.',
      {
        extraArguments: ['--mcp-config', JSON.stringify({ mcpServers: { [MCP_SERVER_NAME]: server } })],
        allowedTools: listMcpToolNames({ readOnly: true }),
      },
    );
    expect([run.exitCode, run.result?.result]).toEqual([0, 'Thank you.']);
    const last = JSON.stringify(api.conversations.at(-1)!.messages);
    expect(last).toContain(EARLIER);
    expect(last).toContain('buy a brush');
    expect(last).toContain('please paint the shed 1');
    const offered = api.conversations.at(-1)!.tools!.map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(listMcpToolNames({ readOnly: false })));
  });
});
