import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { CLAUDE_MISSING, type ClaudeSession, openClaude } from './claude-session.ts';
import { tellConversation } from './conversation.ts';

const TYPES = join(import.meta.dirname, '../../../../fixtures/claude-code/projects/-home-user-work-types');

describe.skipIf(CLAUDE_MISSING !== undefined)(
  `a compacted session that is cleaned and resumed by the real Claude Code ${CLAUDE_MISSING ?? ''}`,
  () => {
    let session: ClaudeSession;
    beforeAll(async () => {
      session = await openClaude();
      await mkdir(session.home.projectFolder, { recursive: true });
    });
    afterAll(() => session?.close());

    test('keeps what the compaction preserved, when the call among it goes', LONG, async () => {
      const id = 'bbbb0020-0000-4000-8000-000000000000';
      const path = session.home.transcriptPath(id);
      await cp(join(TYPES, `${id}.jsonl`), path);
      const before = await tellAfterSummary(id, 'before');
      expect(before).toEqual([
        'assistant | Now read the file. | call toolu_mock000019hri',
        'user | result toolu_mock000019hri',
        'assistant | All done.',
        'user | @@toolong go',
        'assistant | Fits after reactive compaction.',
        'user | before',
      ]);
      await cp(join(TYPES, `${id}.jsonl`), path);
      const edit = await session.occ(['edit', path, '--strip-tools=extreme', '--json']);
      expect(edit.stderr).toBe('');
      expect(JSON.parse(edit.stdout)).toMatchObject({ changed: true });
      expect(await tellAfterSummary(id, 'after')).toEqual([
        'assistant | Now read the file.',
        'assistant | All done.',
        'user | @@toolong go',
        'assistant | Fits after reactive compaction.',
        'user | after',
      ]);
    });

    test('keeps what a compaction before the last one preserved out of the context', LONG, async () => {
      const id = 'aaaa0007-0000-4000-8000-000000000000';
      const path = session.home.transcriptPath(id);
      await cp(join(TYPES, `${id}.jsonl`), path);
      const before = await tellAfterSummary(id, 'question');
      await cp(join(TYPES, `${id}.jsonl`), path);
      const edit = await session.occ(['edit', path, '--strip-tools=extreme', '--json']);
      expect(edit.stderr).toBe('');
      expect(await tellAfterSummary(id, 'question')).toEqual(before);
    });

    async function tellAfterSummary(id: string, prompt: string): Promise<string[]> {
      const { requests } = await session.resume(prompt, { resume: id });
      const told = tellConversation(requests[0]);
      expect(told[0]).toContain('This session is being continued');
      return told.slice(1);
    }
  },
);
