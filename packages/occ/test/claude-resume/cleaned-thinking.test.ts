/** A model that binds thinking to what was said before it refuses what is left behind a change. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, redact, say, think } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { endScheduledEdits } from '../in-use/scheduled-processes.ts';
import { OCC_LAUNCHER } from '../setup/run-occ.ts';
import {
  CLAUDE_MISSING,
  type ClaudeSession,
  type ScriptedTurn,
  SESSION_ID,
  writeClaudeSession,
} from './claude-session.ts';
import { findCall, tellConversation } from './conversation.ts';

const BOUND = { extraArguments: ['--model', 'claude-opus-5-5'] };
const OCC = `'${process.execPath}' '${OCC_LAUNCHER}'`;

const turn = (name: string, calls: readonly [id: string, command: string][]): ScriptedTurn => ({
  prompt: `${name} question`,
  replies: [
    ...calls.map(([id, command]) => ({
      blocks: [
        think(`${id}?`),
        say(`${id}.`),
        call(`toolu_${id}`, 'Bash', { command, description: 'count' }),
      ],
    })),
    { blocks: [name === 'third' ? redact('hidden') : think(`${name}!`), say(`${name} done.`)] },
  ],
});

/** The large output is in the second turn and in the fourth. */
const TURNS = [
  turn('first', [['a', 'seq 1 9']]),
  turn('second', [
    ['b', 'seq 1 9'],
    ['c', 'seq 1 400'],
    ['d', 'seq 1 9'],
  ]),
  turn('third', []),
  turn('fourth', [['e', 'seq 1 400']]),
  turn('fifth', [['f', 'seq 1 9']]),
];

describe.skipIf(CLAUDE_MISSING !== undefined)(
  `a session of the real Claude Code whose thinking is bound ${CLAUDE_MISSING ?? ''}`,
  () => {
    let session: ClaudeSession;
    beforeAll(async () => {
      session = await writeClaudeSession(TURNS, BOUND);
    });
    beforeEach(async () => {
      await session.reset();
      session.api.forget();
    });
    afterAll(() => session?.close());
    endScheduledEdits(() => session.path);

    const thoughtsIn = (told: readonly string[]) =>
      told.join(' | ').match(/\([^)]*[?!]\)|redacted_thinking/g) ?? [];

    /** Goes on with a session, and returns what the model is told of its thinking at first. */
    async function goOn(resume = SESSION_ID): Promise<string[]> {
      const options = { resume, ...BOUND };
      const { requests } = await session.talk(
        'and now',
        () => ({ blocks: [think('New.'), say('ok')] }),
        options,
      );
      // A request that was refused would be repeated without thinking.
      expect(requests).toHaveLength(1);
      const next = await session.resume('and then', options);
      expect(tellConversation(next.requests[0]).at(-2)).toBe('assistant | (New.) | ok');
      expect([session.api.faults, session.api.dropped]).toEqual([[], []]);
      return thoughtsIn(tellConversation(requests[0]));
    }

    test('whole, it has all its thinking', LONG, async () => {
      expect(await goOn()).toHaveLength(11);
    });

    test.each([
      { flags: ['--strip-tools=extreme'], left: [], removed: 1 },
      { flags: ['--keep=2'], left: [], removed: 5 },
      { flags: ['--keep=3', '--truncate=67'], left: [], removed: 9 },
    ])('edited with $flags, it goes on without thinking', LONG, async ({ flags, left, removed }) => {
      const edit = await session.occ(['edit', session.path, ...flags, '--json']);
      expect(edit.stderr).toBe('');
      expect(JSON.parse(edit.stdout)).toMatchObject({
        changed: true,
        statistics: { thinkingUnbound: removed },
      });
      expect(await goOn()).toEqual(left);
    });

    test('with large output shortened, it goes on with what was thought before that', async () => {
      const edit = await session.occ([
        'edit',
        session.path,
        '--keep=20',
        '--truncate=0',
        '--truncate-over=500',
      ]);
      expect(edit.stderr).toBe('');
      expect(edit.stdout).toContain('Thinking: 7 blocks removed (bound to what comes before, which changes)');
      expect(await goOn()).toEqual(['(a?)', '(first!)', '(b?)', '(c?)']);
    });

    test('cloned and shortened, it goes on, where the provider drops thinking too', LONG, async () => {
      const clone = await session.occ([
        'clone',
        session.path,
        '--keep=20',
        '--truncate=0',
        '--truncate-over=500',
        '--json',
      ]);
      expect(clone.stderr).toBe('');
      const { clonedSessionId, statistics } = JSON.parse(clone.stdout);
      expect(statistics).toMatchObject({ thinkingUnbound: 7 });
      session.api.setBinding('drop_block');
      try {
        expect(await goOn(clonedSessionId)).toEqual(['(a?)', '(first!)', '(b?)', '(c?)']);
      } finally {
        session.api.setBinding('enforce');
      }
    });

    test('that cleans itself, it is cleaned when its run has ended', async () => {
      const script = [
        {
          blocks: [
            think('full?'),
            say('Cleaning.'),
            call('toolu_clean', 'Bash', { command: `${OCC} edit --strip-tools=extreme --json` }),
          ],
        },
        { blocks: [think('after?'), call('toolu_after', 'Bash', { command: 'echo after' })] },
        { blocks: [think('clean!'), say('Clean.')] },
      ];
      const cleaning = await session.talk('clean yourself', script, BOUND);
      const told = findCall(cleaning.requests.at(-1), 'toolu_clean').result;
      expect(JSON.parse(told as string)).toMatchObject({
        sessionId: SESSION_ID,
        changed: false,
        scheduled: true,
        note: expect.stringContaining('binds thinking'),
      });
      for (let state = 'waiting'; state === 'waiting'; await sleep(100)) {
        const { stdout } = await session.occ(['info', session.path, '--json']);
        const { lastScheduledEdit } = JSON.parse(stdout);
        state = lastScheduledEdit.state;
        if (state !== 'waiting') expect(lastScheduledEdit).toMatchObject({ result: { changed: true } });
      }
      expect(await goOn()).toEqual([]);
    });
  },
);
