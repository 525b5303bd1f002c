/** Turns that the real Claude Code takes by itself, because something that it left in the background ended. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { call } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { answer, hold, holds, Workbench, waitFor } from './run-workbench.ts';

const binary = findClaudeBinary();
const missing = 'missing' in binary ? binary.missing : undefined;
const COMMAND = 'until [ -e ready ]; do sleep 0.1; done; echo finished';

describe.skipIf(missing !== undefined)(`a turn of the real Claude Code by itself ${missing ?? ''}`, () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await Workbench.open();
  });
  afterAll(() => bench?.close());

  /** An idle run that left something in the background, whose end has just given it a turn; its answer is held. */
  async function startTurn(name: string) {
    const repoPath = bench.makeRepo(name);
    const held = hold(answer('Noted.'));
    bench.api.forget();
    bench.api.setReplies((request) => {
      if (holds(request, 'And test it')) return answer('Tested.');
      if (holds(request, 'task-notification')) return held.reply;
      if (holds(request, 'toolu_left')) return answer('Begun.');
      return { blocks: [call('toolu_left', 'Bash', { command: COMMAND, run_in_background: true })] };
    });
    const watched = bench.start('Build it', { repoPath, allowedTools: ['Bash'], idleMs: 600_000 });
    await watched.next('idle');
    writeFileSync(join(repoPath, 'ready'), '');
    await waitFor('its turn', () =>
      bench.api.conversations.find((request) => holds(request, 'task-notification')),
    );
    return { ...watched, repoPath, letGo: held.letGo };
  }

  test('is no answer to what is said meanwhile, which has one of its own', LONG, async () => {
    const { run, events, letGo } = await startTurn('meanwhile');
    run.send('And test it');
    run.end();
    letGo();
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ result: 'success', text: 'Tested.', turns: 2, unsent: [] });
    expect(events.filter(({ type }) => type === 'turn-ended')).toMatchObject([
      { text: 'Begun.', byItself: false },
      { text: 'Noted.', byItself: true },
      { text: 'Tested.', byItself: false },
    ]);
    expect(bench.registered(outcome.sessionId!)).toMatchObject({
      turns: 2,
      totalCostUsd: outcome.totalCostUsd,
    });
  });

  test('is not idleness: the run stays until it is over', async () => {
    const { run, events, repoPath, letGo } = await startTurn('idle');
    const second = bench.start('Come second', { repoPath });
    await second.next('queued');
    letGo();
    expect(await run.outcome).toMatchObject({ result: 'success', text: 'Noted.', ending: 'made-room' });
    expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
    expect(await second.run.outcome).toMatchObject({ result: 'success' });
  });
});
