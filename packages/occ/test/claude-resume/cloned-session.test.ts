import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { CLAUDE_MISSING, type ClaudeSession, SESSION_ID, writeClaudeSession } from './claude-session.ts';
import { tellConversation } from './conversation.ts';

interface Clone {
  clonedSessionId: string;
  clonedSessionPath: string;
  resumeCommand: string;
}

describe.skipIf(CLAUDE_MISSING !== undefined)(
  `a clone of a session that the real Claude Code wrote ${CLAUDE_MISSING ?? ''}`,
  () => {
    let session: ClaudeSession;
    beforeAll(async () => {
      session = await writeClaudeSession();
    });
    beforeEach(() => session.reset());
    afterAll(() => session?.close());

    test('goes on under its new id, and its source stays as it was', LONG, async () => {
      const source = await readFile(session.path);
      const clone = await session.occ(['clone', session.path, '--strip-tools=extreme', '--json']);
      expect(clone.stderr).toBe('');
      const { clonedSessionId, clonedSessionPath, resumeCommand } = JSON.parse(clone.stdout) as Clone;
      expect(clonedSessionPath).toBe(session.home.transcriptPath(clonedSessionId));
      expect(resumeCommand).toContain(`claude --resume ${clonedSessionId}`);

      const { run, requests } = await session.resume('in the clone', { resume: clonedSessionId });
      expect(run.result?.session_id).toBe(clonedSessionId);
      const told = tellConversation(requests[0]);
      expect(told.filter((line) => line.startsWith('user'))).toEqual([
        'user | first question',
        'user | second question',
        'user | third question',
        'user | fourth question',
        'user | in the clone',
      ]);
      expect(told.join('\n')).not.toMatch(/toolu_/);
      expect(await readFile(session.path)).toEqual(source);
      const ids = (await session.home.readTranscript(clonedSessionId)).map((line) => line.sessionId);
      expect(new Set(ids.filter((id) => id !== undefined))).toEqual(new Set([clonedSessionId]));
    });

    test('an exact copy gives the model the same messages as its source', LONG, async () => {
      const clone = await session.occ(['clone', SESSION_ID, '--source', 'claude', '--json']);
      expect(clone.stderr).toBe('');
      const { clonedSessionId } = JSON.parse(clone.stdout) as Clone;
      const ofClone = await session.resume('and now', { resume: clonedSessionId });
      const ofSource = await session.resume('and now');
      expect(tellConversation(ofClone.requests[0])).toEqual(tellConversation(ofSource.requests[0]));
      expect(tellConversation(ofClone.requests[0]).join('\n')).toContain('call toolu_2 | call toolu_3');
    });

    test('written elsewhere, it goes on by its path', LONG, async () => {
      const output = join(session.home.root, 'a clone.jsonl');
      const clone = await session.occ(['clone', session.path, '--keep', '0', '-o', output, '--json']);
      expect(clone.stderr).toBe('');
      const { clonedSessionId, clonedSessionPath, resumeCommand } = JSON.parse(clone.stdout) as Clone;
      expect(clonedSessionPath).toBe(output);
      expect(resumeCommand).toBe(`claude --resume '${output}'`);
      const { run, requests } = await session.resume('by path', { resume: output });
      expect(run.result?.session_id).toBe(clonedSessionId);
      // What was thought in a turn went with its calls.
      expect(tellConversation(requests[0]).slice(-2)).toEqual(['assistant | Fourth done.', 'user | by path']);
    });
  },
);
