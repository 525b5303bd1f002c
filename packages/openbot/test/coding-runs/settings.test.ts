/** What the settings of coding runs do, with the real Claude Code on the imitation of the API. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missing, use, waitFor } from '../setup/command-bench.ts';
import { writeSession } from '../setup/own-session.ts';
import { CodingBench } from './coding-bench.ts';

describe.skipIf(missing !== undefined)(`settings of coding runs ${missing ?? ''}`, () => {
  let bench: CodingBench;
  beforeEach(async () => {
    bench = await CodingBench.open();
  });
  afterEach(() => bench.close());

  test('reach Claude Code, the model that rates sessions, and what the person is told', async () => {
    bench.script({ 'second part': () => use('Bash', { command: 'touch made' }) });
    writeFileSync(join(bench.repo, 'CLAUDE.md'), 'The word is plum-tree.');
    writeSession(
      bench,
      bench.repo,
      '11111111-0000-4000-8000-000000000001',
      '[openclaw:agent=main]\n\nfirst part',
    );
    bench.bot.on('go on', { tool: 'claude_code', args: { task: 'second part', repo: bench.repo } });
    const sessionSelection = {
      enabled: true,
      resumeThreshold: 0,
      relevanceModel: 'claude-rater',
      relevanceMaxTokens: 77,
    };
    let now = Date.now();
    await bench.open(
      {
        idleMinutes: 0,
        progressMinutes: 1,
        allowedTools: ['Bash'],
        isolated: false,
        model: 'claude-worker',
        maxBudgetUsd: 5,
        sessionSelection,
      },
      // Two minutes from one look at the clock to the next.
      { now: () => (now += 120_000) },
    );
    await bench.bot.chat.write('ada', 'go on');
    await bench.shows(/is at work: 1 tool call/);
    const asked = bench.api.conversations.map(({ model, max_tokens }) => [model, max_tokens]);
    // Without a question, which would be waited for.
    await waitFor(
      () => 'the file of the command',
      () => existsSync(join(bench.repo, 'made')) || undefined,
    );
    expect(bench.bot.chat.shown.filter((line) => line.includes('Permission needed'))).toEqual([]);
    expect(JSON.stringify(bench.api.conversations)).toContain('plum-tree');
    expect(asked).toContainEqual(['claude-rater', 77]);
    expect(asked.some(([model]) => model === 'claude-worker')).toBe(true);
  });
});
