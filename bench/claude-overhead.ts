/** What openbot adds to a turn of Claude Code: against the Agent SDK by itself, with the same options and provider. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createSdkMcpServer, type Options, query, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { FILE_TOOLS } from '../packages/openbot/src/tools/all.ts';
import { ClaudeBench } from '../test/imitations/claude-bench.ts';
import { findClaudeBinary } from '../test/imitations/claude-binary.ts';
import { say } from '../test/imitations/messages-format.ts';
import { type BenchRow, percentile } from './measure.ts';
import { openBenchBot, timeTurns } from './turn-fixture.ts';

const TURNS = 25;
const WARM_UP = 3;
const LIMIT_MS = 30;
const MODEL = 'sonnet';

export default async function bench(): Promise<BenchRow[]> {
  if ('missing' in findClaudeBinary()) return [];
  const claude = await ClaudeBench.open();
  claude.api.setReplies(() => ({ blocks: [say('An answer of a few words.')] }));
  const { bot, ask } = await openBenchBot(join(claude.home.root, 'bot'), {
    config: {
      session: { dmScope: 'per-channel-peer' },
      agents: { defaults: { model: `claude/${MODEL}`, userTimezone: 'UTC' } },
      messages: { queue: { mode: 'followup', debounceMs: 0 } },
    },
    env: claude.home.env,
  });
  const bare = openBare(claude);
  const rounds = { warmUp: WARM_UP, count: TURNS };
  const [ours = [], theirs = []] = await timeTurns(
    bot,
    rounds,
    () => ask(0),
    (turn) => bare(`message ${turn} of ${randomUUID()}`),
  );
  await bot.close();
  await claude.close();
  const median = (times: readonly number[]) =>
    percentile(
      times.toSorted((a, b) => a - b),
      0.5,
    );
  // Of pairs: what else the machine does hits both of a pair.
  const added = median(ours.map((time, index) => time - theirs[index]!));
  return [
    {
      name: 'what openbot adds to a turn of Claude Code, median',
      ours: `${added.toFixed(1)} ms`,
      peer: `a limit of ${LIMIT_MS} ms`,
      ratio: added / LIMIT_MS,
      limit: 1,
      better: 'lower',
      details: `median turn ${median(ours).toFixed(0)} ms, the Agent SDK by itself ${median(theirs).toFixed(0)} ms`,
    },
  ];
}

/** A conversation as the SDK's own examples hold it: a query for each message, the session resumed. */
function openBare({ home }: ClaudeBench): (text: string) => Promise<void> {
  let sessionId: string | undefined;
  return async (text) => {
    const server = createSdkMcpServer({ name: 'openbot', alwaysLoad: true });
    for (const { name, description } of FILE_TOOLS)
      server.instance.registerTool(name, { description }, async () => ({ content: [] }));
    const options: Options = {
      cwd: home.cwd,
      env: { ...home.env },
      model: MODEL,
      systemPrompt: { type: 'custom', prompt: 'You help. '.repeat(400), snapshot: false },
      includePartialMessages: true,
      settingSources: [],
      strictMcpConfig: true,
      tools: [],
      permissionMode: 'default',
      settings: { permissions: { allow: ['mcp__openbot'] } },
      mcpServers: { openbot: server },
      extraArgs: { autocompact: '1000000' },
      canUseTool: async () => ({ behavior: 'deny', message: 'no' }),
      ...(sessionId !== undefined && { resume: sessionId }),
    };
    let close = () => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const prompt = async function* (): AsyncGenerator<SDKUserMessage> {
      yield {
        type: 'user',
        message: { role: 'user', content: text },
        parent_tool_use_id: null,
        client_composed: true,
      };
      await closed;
    };
    for await (const message of query({ prompt: prompt(), options })) {
      if (message.type !== 'result') continue;
      sessionId = message.session_id;
      close();
    }
  };
}
