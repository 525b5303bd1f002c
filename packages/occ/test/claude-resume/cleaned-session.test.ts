import { readFile, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import {
  CLAUDE_MISSING,
  type ClaudeSession,
  LONG_COMMAND,
  SESSION_ID,
  WHOLE_CONVERSATION,
  writeClaudeSession,
} from './claude-session.ts';
import { findCall, tellConversation } from './conversation.ts';

/** Results of calls that ran side by side come in the order in which they ended. */
const inOrder = (lines: readonly string[]): string[] =>
  lines.map((line) =>
    line.startsWith('user | result') ? ['user', ...line.split(' | ').slice(1).sort()].join(' | ') : line,
  );

const WITHOUT_TOOLS = [
  'user | first question',
  'assistant | Let me look.',
  'assistant | First done.',
  'user | second question',
  'assistant | All of them now.',
  'assistant | Second done.',
  'user | third question',
  // Its thinking is bound to what was removed before it.
  'assistant | Third done.',
  'user | fourth question',
  'assistant | Again.',
  'assistant | Fourth done.',
];

describe.skipIf(CLAUDE_MISSING !== undefined)(
  `a session that the real Claude Code wrote ${CLAUDE_MISSING ?? ''}`,
  () => {
    let session: ClaudeSession;
    beforeAll(async () => {
      session = await writeClaudeSession();
    });
    beforeEach(() => session.reset());
    afterAll(() => session?.close());

    test('reaches the model whole while nothing was cleaned', LONG, async () => {
      const { requests } = await session.resume('and now');
      expect(inOrder(tellConversation(requests[0]))).toEqual([...WHOLE_CONVERSATION, 'user | and now']);
    });

    test('without its tools: every text is there in order, and the session goes on', async () => {
      const edit = await session.occ(['edit', session.path, '--strip-tools=extreme', '--json']);
      expect(edit.stderr).toBe('');
      expect(JSON.parse(edit.stdout)).toMatchObject({
        success: true,
        sessionId: SESSION_ID,
        statistics: { toolCallsOriginal: 6, toolCallsRemoved: 6, toolCallsPreserved: 0 },
      });
      const first = await session.resume('and now');
      expect(tellConversation(first.requests[0])).toEqual([...WITHOUT_TOOLS, 'user | and now']);
      expect(first.run.result?.session_id).toBe(SESSION_ID);
      const second = await session.resume('and then');
      expect(tellConversation(second.requests[0])).toEqual([
        ...WITHOUT_TOOLS,
        'user | and now',
        'assistant | ok',
        'user | and then',
      ]);
    });

    test('with two turns kept and one of them shortened: calls and results stay in pairs', LONG, async () => {
      const edit = await session.occ(['edit', session.path, '--keep', '2', '--truncate', '50', '--json']);
      expect(edit.stderr).toBe('');
      expect(JSON.parse(edit.stdout)).toMatchObject({
        statistics: { toolCallsOriginal: 6, toolCallsRemoved: 1, toolCallsPreserved: expect.any(Number) },
      });
      const { requests } = await session.resume('and now');
      expect(inOrder(tellConversation(requests[0]))).toEqual([
        'user | first question',
        'assistant | Let me look.',
        'assistant | First done.',
        // Thinking is bound to what was removed before it.
        ...WHOLE_CONVERSATION.slice(WHOLE_CONVERSATION.indexOf('user | second question')).map((line) =>
          line.replace(/\([^)]*\) \| /, ''),
        ),
        'user | and now',
      ]);
      const shortened = findCall(requests[0], 'toolu_2');
      expect(JSON.stringify(shortened.input).length).toBeLessThanOrEqual(120);
      expect(shortened.input).toMatchObject({ command: expect.stringMatching(/^echo long long .*\.\.\.$/) });
      expect(JSON.stringify(shortened.input)).not.toContain(LONG_COMMAND);
      for (const id of ['toolu_3', 'toolu_5']) {
        expect(findCall(requests[0], id).result).toMatch(/^1\n2\n?\[truncated\]$/);
      }
      expect(findCall(requests[0], 'toolu_6').result).toBe(count(60));
    });

    test('cleaned twice is the same as cleaned once', LONG, async () => {
      const clean = ['edit', session.path, '--keep', '1', '--truncate', '100', '--json'];
      await session.occ(clean);
      const once = await readFile(session.path);
      const again = await session.occ(clean);
      expect(JSON.parse(again.stdout)).toMatchObject({ success: true, changed: false });
      expect(await readFile(session.path)).toEqual(once);
    });

    test('restored after a clean: the whole session again, and what was said since', LONG, async () => {
      const edit = await session.occ(['edit', session.path, '--strip-tools=extreme', '--json']);
      expect(edit.stderr).toBe('');
      await session.resume('said since');
      const restore = await session.occ(['restore', session.path, '--json']);
      expect(restore.stderr).toBe('');
      const { requests } = await session.resume('and now');
      expect(inOrder(tellConversation(requests[0]))).toEqual([
        ...WHOLE_CONVERSATION,
        'user | said since',
        'assistant | ok',
        'user | and now',
      ]);
    });

    test("backups and the journal are not in Claude Code's own lists", LONG, async () => {
      const edit = await session.occ(['edit', session.path, '--strip-tools=extreme', '--json']);
      const { backupPath } = JSON.parse(edit.stdout) as { backupPath: string };
      expect(basename(backupPath)).toBe(`${SESSION_ID}.backup.1.jsonl`);
      const { listSessions, getSessionInfo } = await import('@anthropic-ai/claude-agent-sdk');
      process.env.CLAUDE_CONFIG_DIR = session.home.config;
      try {
        const listed = await listSessions({ dir: session.home.cwd });
        expect(listed.map((info) => info.sessionId)).toEqual([SESSION_ID]);
        expect(await getSessionInfo(basename(backupPath, '.jsonl'))).toBeUndefined();
      } finally {
        delete process.env.CLAUDE_CONFIG_DIR;
      }
      const { run } = await session.resume('go on', { resume: SESSION_ID });
      expect(run.result?.session_id).toBe(SESSION_ID);
      const backups = join(await realpath(session.home.projectFolder), 'backups');
      expect(await realpath(backupPath)).toBe(join(backups, basename(backupPath)));
    });
  },
);

function count(to: number): string {
  return Array.from({ length: to }, (_, index) => index + 1).join('\n');
}
