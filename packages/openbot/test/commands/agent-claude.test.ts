/** `openbot agent` with a Claude model: one process for each message, and the real Claude Code in it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClaudeBench } from '../../../../test/imitations/claude-bench.ts';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { apiErrors, call, type Reply, say } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { makeAgentBench } from '../setup/agent-process.ts';

const binary = findClaudeBinary();
const isMissing = 'missing' in binary;
const answer = (text: string): Reply => ({ blocks: [say(text)] });

describe.skipIf(isMissing)(
  `openbot agent with claude/sonnet${isMissing ? `: ${binary.missing}` : ''}`,
  () => {
    let claude: ClaudeBench;
    beforeAll(async () => {
      claude = await ClaudeBench.open();
    });
    afterAll(() => claude?.close());

    it('answers for a model of another provider where the agent names it as its runner', async () => {
      const bench = makeAgentBench(claude.home.env);
      const model = 'anthropic/claude-sonnet-5';
      bench.configure({
        agents: { defaults: { model: 'script/echo' }, list: [{ id: 'main', model, runner: 'claude' }] },
      });
      claude.api.setReplies([answer('By Claude Code.')]);
      const { payloads, meta } = await bench.json('-m', 'who runs you?');
      expect(payloads[0]!.text).toBe('By Claude Code.');
      expect(meta.agentMeta).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-5' });
      // Only Claude Code has sessions of its own.
      expect(bench.store()['agent:main:main']).toMatchObject({
        modelProvider: 'anthropic',
        sdkSessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
      bench.configure({ agents: { list: [{ id: 'main', model, runner: 'script' }] } });
      const refused = await bench.agent(['-m', 'and now?']);
      expect(refused.stderr).toContain(
        `agents.list[0].runner must be a program that can run ${model}, and script cannot`,
      );
    });

    it('keeps its words over processes and other models, until a reset', LONG, async () => {
      const bench = makeAgentBench(claude.home.env);
      bench.configure({ agents: { defaults: { model: 'claude/sonnet' } } });
      const entry = () => bench.store()['agent:main:main'] as Record<string, unknown>;
      const sent = () => JSON.stringify(claude.api.conversations.at(-1)!.messages);

      claude.api.setReplies([
        {
          blocks: [
            say('I note it.'),
            call('toolu_n', 'mcp__openbot__write_file', { path: 'colour.txt', content: 'green' }),
          ],
        },
        { blocks: [say('Green it is.')], usage: { input_tokens: 500, output_tokens: 7 } },
      ]);
      const first = await bench.json('-m', 'my colour is green');
      expect(first.payloads.at(-1)!.text).toBe('Green it is.');
      expect(first.meta.agentMeta).toMatchObject({ provider: 'claude', model: 'sonnet' });
      const id = entry().sdkSessionId;
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      expect(entry()).toMatchObject({ modelProvider: 'claude', model: 'sonnet', contextTokens: 1_000_000 });

      await bench.json('-m', 'and my number is seven', '--model', 'script/echo');
      claude.api.setReplies([answer('Green and seven.')]);
      const third = await bench.json('-m', 'what do you know?');
      expect(third.payloads[0]!.text).toBe('Green and seven.');
      expect(entry().sdkSessionId).toBe(id);
      expect(sent()).toMatch(
        /my colour is green.*Green it is\..*number is seven.*You said: .*what do you know\?/s,
      );
      expect(sent().split('number is seven').length - 1).toBe(2);

      claude.api.setReplies(() => apiErrors.overloaded());
      const failed = await bench.agent(['-m', 'hello?', '--json']);
      expect(failed.stdout + failed.stderr).toMatch(/overloaded/i);
      claude.api.setReplies([answer('Back again.')]);
      expect((await bench.json('-m', 'are you there?')).payloads[0]!.text).toBe('Back again.');

      claude.api.setReplies([answer('A new start.')]);
      await bench.json('-m', '/new hello');
      expect(entry().sdkSessionId).not.toBe(id);
      expect(sent()).not.toContain('green');
    });
  },
);
