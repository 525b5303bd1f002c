/**
 * Claude Code decides by a flag of its server what it asks of the API about thinking whose conversation was changed; a
 * variable sets it here. Whatever it asks, a session that was changed goes on, and the API leaves nothing out.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, say, think } from '../../../../test/imitations/messages-format.ts';
import type { BindingMode } from '../../../../test/imitations/thinking-binding.ts';
import { isTorture, LONG } from '../../../../test/setup/hunt.ts';
import {
  CLAUDE_MISSING,
  type ClaudeSession,
  flaggedEnv,
  type Resumed,
  type ScriptedTurn,
  writeClaudeSession,
} from './claude-session.ts';

const TURNS: readonly ScriptedTurn[] = ['first', 'second', 'third'].map((name) => {
  const answer = { blocks: [think(`Of the ${name}.`), say(`The ${name} done.`)] };
  const use = call(`toolu_${name}`, 'Bash', { command: 'seq 1 400', description: 'count' });
  const isPlain = name === 'third';
  return {
    prompt: `${name} question`,
    replies: isPlain ? [answer] : [{ blocks: [think(`About the ${name}.`), use] }, answer],
  };
});

/** By the value of the flag: what it asks for. */
const ASKED = { drop: 'drop_block', block: 'error', off: undefined } as const;
type Flag = keyof typeof ASKED;

const optionsOf = (flag: Flag) => ({
  extraArguments: ['--model', 'claude-opus-5-5'],
  env: flaggedEnv(flag),
});

const askedBy = ({ requests }: Resumed) =>
  (requests[0]!.thinking as { block_binding?: { prefix_mismatch_behavior?: string } }).block_binding
    ?.prefix_mismatch_behavior;

const FLAGS = isTorture ? (['drop', 'block', 'off'] as const) : (['drop'] as const);

describe.skipIf(CLAUDE_MISSING !== undefined).each(FLAGS)(
  `Claude Code that is told %s ${CLAUDE_MISSING ?? ''}`,
  (flag) => {
    const options = optionsOf(flag);
    let session: ClaudeSession;
    beforeAll(async () => {
      session = await writeClaudeSession(TURNS, options);
    });
    beforeEach(async () => {
      await session.reset();
      session.api.forget();
    });
    afterAll(() => session?.close());

    const occ = async (...words: string[]) => {
      const { stdout, stderr } = await session.occ([...words, '--json']);
      expect(stderr).toBe('');
      return JSON.parse(stdout);
    };
    const goOn = async (resume?: string) => {
      const reply = () => ({ blocks: [think('Now what?'), say('ok')] });
      const resumed = await session.talk('and now', reply, {
        ...options,
        ...(resume !== undefined && { resume }),
      });
      expect(askedBy(resumed)).toBe(ASKED[flag]);
      expect([resumed.requests.length, session.api.faults, session.api.dropped]).toEqual([1, [], []]);
    };

    test('edited: one request, and nothing left out of it', async () => {
      session.api.setBinding('enforce');
      expect(await occ('edit', session.path, '--truncate-over', '500')).toMatchObject({ changed: true });
      await goOn();
    });

    const modes: BindingMode[] = ['enforce', 'older account', 'drop_block'];
    const edits = [['--truncate-over', '500'], ['--strip-tools=extreme'], ['--strip-tools', '--keep', '1']];
    const cases = modes.flatMap((mode) => edits.map((words) => ({ mode, words })));
    test.each(cases)('$mode, $words: clone, edit and restore', LONG, async ({ mode, words }) => {
      session.api.setBinding(mode);
      const { clonedSessionId } = await occ('clone', session.path, ...words);
      await goOn(clonedSessionId);
      await occ('edit', session.path, ...words);
      await goOn();
      await goOn();
      await occ('restore', session.path);
      await goOn();
    });
  },
);
