import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LONG } from '../setup/hunt.ts';
import { type ClaudeHome, findClaudeBinary, makeClaudeHome, runClaude } from './claude-binary.ts';
import { type MessagesApi, startMessagesApi } from './messages-api.ts';
import { apiErrors, blocksOf, call, say } from './messages-format.ts';

const binary = findClaudeBinary();
const missing = 'missing' in binary ? binary.missing : undefined;

describe.skipIf(missing !== undefined)(`the real Claude Code on the imitation ${missing ?? ''}`, () => {
  const path = 'path' in binary ? binary.path : '';
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

  test('runs in folders and an environment of its own, and calls no other server', async () => {
    process.env.ANTHROPIC_MODEL = 'of-the-person';
    api.setReplies([
      {
        blocks: [
          call('toolu_1', 'Bash', { command: 'echo "$HOME|$CLAUDE_CONFIG_DIR|$ANTHROPIC_MODEL"; pwd' }),
        ],
      },
      { blocks: [say('Done.')] },
    ]);
    const run = await runClaude(path, home, 'where are you', { allowedTools: ['Bash'] });
    delete process.env.ANTHROPIC_MODEL;
    expect(run).toMatchObject({ exitCode: 0, stderr: '', result: { is_error: false, result: 'Done.' } });
    const result = blocksOf(api.conversations[1]!.messages.at(-1)!)[0];
    expect(result).toMatchObject({
      tool_use_id: 'toolu_1',
      content: `${home.root}/home|${home.config}|\n${home.cwd}`,
    });
    expect(new Set(api.requests.map((request) => request.path))).toEqual(new Set(['/v1/messages']));
    const lines = await home.readTranscript(run.result!.session_id);
    expect(lines.filter((line) => line.type === 'assistant')).toHaveLength(2);
  });

  test('ends with an error when the API says no', LONG, async () => {
    api.setReplies(() => apiErrors.overloaded());
    const run = await runClaude(path, home, 'go');
    expect(run).toMatchObject({ exitCode: 1, result: { is_error: true } });
    expect(run.result?.result).toContain('529');
  });
});
