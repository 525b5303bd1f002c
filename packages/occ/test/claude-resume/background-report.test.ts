import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, type MessagesRequest, say } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { CLAUDE_MISSING, type ClaudeSession, openClaude, SESSION_ID } from './claude-session.ts';

const REPORT = Array.from({ length: 60 }, (_, n) => `finding ${n} of the agent`).join('\n');

/** The agent reports while the conversation that started it waits for a command. */
function reply({ messages }: MessagesRequest) {
  const told = JSON.stringify(messages);
  if (!told.includes('start it')) return { blocks: [say(REPORT)] };
  if (told.includes('toolu_wait')) return { blocks: [say('All done.')] };
  if (told.includes('toolu_agent')) {
    return { blocks: [call('toolu_wait', 'Bash', { command: 'sleep 2', description: 'wait' })] };
  }
  const input = {
    description: 'look',
    prompt: 'Look around.',
    subagent_type: 'general-purpose',
    run_in_background: true,
  };
  return { blocks: [call('toolu_agent', 'Agent', input)] };
}

describe.skipIf(CLAUDE_MISSING !== undefined)(
  `the report of a background agent, in a session of the real Claude Code ${CLAUDE_MISSING ?? ''}`,
  () => {
    let session: ClaudeSession;
    beforeAll(async () => {
      session = await openClaude();
      const allowedTools = ['Bash', 'Agent'];
      await session.talk('start it', reply, { sessionId: SESSION_ID, allowedTools });
    });
    afterAll(() => session?.close());

    test(
      'is given to the model shortened after a clean, also where it came within a turn',
      LONG,
      async () => {
        const before = await session.resume('before the clean');
        expect(JSON.stringify(before.requests[0])).toContain('finding 59 of the agent');
        const edit = await session.occ(['edit', session.path, '--strip-tools=extreme', '--json']);
        expect(edit.stderr).toBe('');
        expect(JSON.parse(edit.stdout)).toMatchObject({
          changed: true,
          statistics: { toolOutputsTruncated: 1 },
        });
        const { requests } = await session.resume('after the clean');
        const told = JSON.stringify(requests[0]);
        expect(told).not.toContain('finding 59 of the agent');
        expect(told).toContain('<result>finding 0 of the agent');
        const lines = (await readFile(session.path, 'utf8')).split('\n');
        const conversation = lines.filter((line) => line.includes('"uuid":'));
        expect(conversation.filter((line) => line.includes('finding 59 of the agent'))).toEqual([]);
      },
    );
  },
);
