import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClaudeBench } from '../../../../test/imitations/claude-bench.ts';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { type MessagesApi, startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import {
  apiErrors,
  blocksOf,
  call,
  type MessagesRequest,
  say,
  think,
} from '../../../../test/imitations/messages-format.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { BotHome } from './bot-home.ts';

/** Claude Code and pi, both real, one conversation. */
describe.skipIf('missing' in findClaudeBinary())('a conversation that changes its runner', () => {
  let claude: ClaudeBench;
  let far: MessagesApi;
  beforeAll(async () => {
    claude = await ClaudeBench.open();
    far = await startMessagesApi({ replies: [] });
  });
  afterAll(async () => {
    await far?.close();
    await claude?.close();
  });

  const config = (model: NonNullable<NonNullable<BotConfig['agents']>['defaults']>['model']): BotConfig => ({
    agents: { defaults: { model } },
    models: {
      providers: {
        far: {
          baseUrl: far.url,
          apiKey: 'key',
          api: 'anthropic-messages',
          models: [{ id: 'm' }, { id: 'claude-sonnet-5-5', reasoning: true }],
        },
      },
    },
  });
  const ask = async (home: BotHome, message: string, model: string) => {
    // A new bot each time: nothing may be kept in the process.
    const bot = await home.open({ config: config(model), env: claude.home.env });
    const { payloads, error } = await bot.say({ message });
    await bot.close();
    return error?.message ?? payloads.map(({ text }) => text).join('\n');
  };
  /** Calls the tool of this name once, then answers with the text. */
  const withTool =
    (tool: string, text: string, id = `toolu_${tool}`) =>
    ({ messages }: MessagesRequest) => {
      const last = blocksOf(messages.findLast(({ role }) => role === 'user')!);
      const isResult = last.some(({ type }) => type === 'tool_result');
      return { blocks: isResult ? [say(text)] : [call(id, tool, { path: 'code.txt' })] };
    };
  const read = (api: MessagesApi) => JSON.stringify(api.conversations.at(-1)!.messages);

  test('from Claude Code to pi and back: each reads what was said and found with the other', async () => {
    const home = new BotHome();
    claude.api.setReplies(withTool('mcp__openbot__read_file', 'The code is in the file.'));
    await ask(home, 'Good morning.', 'script/echo');
    writeFileSync(join(home.stateDir, 'workspace', 'code.txt'), 'PAPAYA-7');
    expect(await ask(home, 'My name is Ada. Read the code.', 'claude/sonnet')).toBe(
      'The code is in the file.',
    );

    far.setReplies(withTool('list_files', 'You are Ada, and there is one file.'));
    expect(await ask(home, 'Who am I, and how many files are there?', 'far/m')).toBe(
      'You are Ada, and there is one file.',
    );
    for (const words of ['Good morning.', 'My name is Ada.', 'PAPAYA-7', 'The code is in the file.'])
      expect(read(far)).toContain(words);

    claude.api.forget();
    claude.api.setReplies(() => ({ blocks: [say('There was one file, Ada.')] }));
    expect(await ask(home, 'And what did you count?', 'claude/sonnet')).toBe('There was one file, Ada.');
    for (const words of ['My name is Ada.', 'PAPAYA-7', 'Who am I, and how many files', 'there is one file.'])
      expect(read(claude.api)).toContain(words);

    expect([...claude.api.faults, ...far.faults]).toEqual([]);
    const models = home
      .linesOf()
      .flatMap(({ type, provider }) => (type === 'model_change' ? [provider] : []));
    expect(models).toEqual(['script', 'claude', 'far', 'claude']);
    home.checkTranscripts();
  });

  test('models that bind thinking take every request, and lose nothing that they may have', async () => {
    const home = new BotHome();
    await ask(home, 'Good morning.', 'script/echo');
    writeFileSync(join(home.stateDir, 'workspace', 'code.txt'), 'PAPAYA-7');
    for (const api of [claude.api, far]) api.forget();
    let count = 0;
    const thoughtful = (tool: string) => (request: MessagesRequest) => {
      const { blocks } = withTool(tool, `Done ${++count}.`, `toolu_${count}`)(request);
      return { blocks: [think(`thought ${count}`), ...blocks] };
    };
    claude.api.setReplies(thoughtful('mcp__openbot__read_file'));
    far.setReplies(thoughtful('read_file'));
    const models = ['far/claude-sonnet-5-5', 'claude/claude-opus-5-5'];
    for (const model of [0, 0, 1, 1, 0, 0, 1, 0].map((at) => models[at]!))
      expect(await ask(home, `Read it with ${model}.`, model)).toMatch(/^Done/m);
    expect([...claude.api.faults, ...far.faults]).toEqual([]);
    expect([...claude.api.dropped, ...far.dropped]).toEqual([]);
    expect(read(far)).toContain(`thought ${count - 1}`);
    expect(read(far)).not.toContain('thought 1"');
    home.checkTranscripts();
  });

  test('a Claude model that is overloaded gives way to one of pi, and the person is told once', async () => {
    const home = new BotHome();
    claude.api.setReplies(() => apiErrors.overloaded());
    far.setReplies(() => ({ blocks: [say('I am here.')] }));
    const bot = await home.open({
      config: config({ primary: 'claude/sonnet', fallbacks: ['far/m'] }),
      env: { ...claude.home.env, CLAUDE_CODE_MAX_RETRIES: '0' },
    });
    const texts = async (message: string) =>
      (await bot.say({ message })).payloads.map(({ text }) => text).join('\n');
    const first = await texts('Is anyone there?');
    expect(first).toContain('I am here.');
    expect(first).toContain('claude/sonnet');
    expect(await texts('Still?')).toBe('I am here.');
    expect(read(far)).toContain('Is anyone there?');
    expect(far.faults).toEqual([]);
    home.checkTranscripts();
  });
});
