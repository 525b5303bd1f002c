import { expect, test } from 'vitest';
import { ClaudeBench } from '../../../../test/imitations/claude-bench.ts';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { blocksOf, call, say } from '../../../../test/imitations/messages-format.ts';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { LONG, makeChance, tries } from '../../../../test/setup/hunt.ts';
import { checkKilled, KilledChat } from './killed-chat.ts';

const binary = findClaudeBinary();

test.skipIf('missing' in binary)('a bot whose model is Claude Code, killed at any moment', LONG, async () => {
  const claude = await ClaudeBench.open();
  afterTest(() => claude.close());
  let calls = 0;
  claude.api.setReplies(({ messages }) => {
    const last = blocksOf(messages.findLast(({ role }) => role === 'user')!);
    const isResult = last.some(({ type }) => type === 'tool_result');
    const wantsFiles = !isResult && JSON.stringify(last.at(-1)).includes('list the files');
    return { blocks: wantsFiles ? [call(`toolu_${calls++}`, 'mcp__openbot__list_files', {})] : [say('So.')] };
  });
  const chance = makeChance();
  const chat = new KilledChat(chance, {
    sessions: 2,
    config: { agents: { defaults: { model: 'claude/sonnet' } } },
    env: claude.home.env,
  });
  for (let n = 0; n < tries({ gate: 0, torture: 50 }); n++)
    await chat.live(200 + chance() * 2000, 1 + Math.floor(chance() * 3));
  await chat.finish();
  checkKilled(chat);
  expect(claude.api.faults).toEqual([]);
  // Whatever was cut off, the model has read what each person wrote.
  const read = JSON.stringify(claude.api.conversations);
  expect([...chat.taken.values()].filter(({ text }) => !read.includes(text))).toEqual([]);
});
