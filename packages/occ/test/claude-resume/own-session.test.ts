import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, say, think } from '../../../../test/imitations/messages-format.ts';
import { OCC_LAUNCHER } from '../setup/run-occ.ts';
import { CLAUDE_MISSING, type ClaudeSession, SESSION_ID, writeClaudeSession } from './claude-session.ts';
import { findCall, tellConversation } from './conversation.ts';

/** Thinking is bound to nothing; cleaned-thinking.test.ts has the other case. */
const OLDER = { extraArguments: ['--model', 'claude-opus-4-6'] };
const OCC = `'${process.execPath}' '${OCC_LAUNCHER}'`;

describe.skipIf(CLAUDE_MISSING !== undefined)(
  `the real Claude Code that cleans its own session ${CLAUDE_MISSING ?? ''}`,
  () => {
    let session: ClaudeSession;
    beforeAll(async () => {
      session = await writeClaudeSession(undefined, OLDER);
    });
    beforeEach(() => session.reset());
    afterAll(() => session?.close());

    test('goes on with its run, and the next resume has the older turns clean and the run whole', async () => {
      const cleaning = await session.talk(
        'clean yourself',
        [
          {
            blocks: [
              think('I am full.'),
              say('Cleaning.'),
              call('toolu_clean', 'Bash', { command: `${OCC} edit --strip-tools=extreme --json` }),
            ],
          },
          { blocks: [say('One more.'), call('toolu_after', 'Bash', { command: 'echo after' })] },
          { blocks: [say('Clean.')] },
        ],
        OLDER,
      );
      const told = findCall(cleaning.requests.at(-1), 'toolu_clean').result;
      // Claude Code adds reminders for this model to results.
      const [json = ''] = /^\{.*?\n\}/s.exec(told as string) ?? [];
      expect(JSON.parse(json)).toMatchObject({
        success: true,
        sessionId: SESSION_ID,
        changed: true,
        statistics: { toolCallsRemoved: 6 },
        note: expect.stringContaining('next resume'),
      });
      // The run itself works on with what it had.
      expect(tellConversation(cleaning.requests.at(-1)).join('\n')).toContain('call toolu_1');

      const { requests } = await session.resume('and now', OLDER);
      expect(tellConversation(requests[0]).filter((line) => line !== 'user')).toEqual([
        'user | first question',
        'assistant | Let me look.',
        'assistant | First done.',
        'user | second question',
        'assistant | All of them now.',
        'assistant | Second done.',
        'user | third question',
        'assistant | (Easy.) | Third done.',
        'user | fourth question',
        'assistant | Again.',
        // What was thought in that turn went with its calls.
        'assistant | Fourth done.',
        'user | clean yourself',
        'assistant | (I am full.) | Cleaning. | call toolu_clean',
        'user | result toolu_clean',
        'assistant | One more. | call toolu_after',
        'user | result toolu_after',
        'assistant | Clean.',
        'user | and now',
      ]);
    });
  },
);
