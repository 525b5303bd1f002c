import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { say } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { CLAUDE_MISSING, type ClaudeSession, openClaude, SESSION_ID } from './claude-session.ts';

describe.skipIf(CLAUDE_MISSING !== undefined)(
  `a file that a person named, in a session of the real Claude Code ${CLAUDE_MISSING ?? ''}`,
  () => {
    let session: ClaudeSession;
    beforeAll(async () => {
      session = await openClaude();
      const lines = Array.from({ length: 40 }, (_, n) => `line ${n} of the file`);
      await writeFile(join(session.home.cwd, 'named.txt'), lines.join('\n'));
      await session.talk('look at @named.txt please', () => ({ blocks: [say('Seen.')] }), {
        sessionId: SESSION_ID,
      });
    });
    afterAll(() => session?.close());

    test(
      'is given to the model shortened after a clean, and what the person said is whole',
      LONG,
      async () => {
        const before = await session.resume('before the clean');
        expect(JSON.stringify(before.requests[0])).toContain('line 39 of the file');
        const edit = await session.occ(['edit', session.path, '--strip-tools=extreme', '--json']);
        expect(edit.stderr).toBe('');
        expect(JSON.parse(edit.stdout)).toMatchObject({
          changed: true,
          statistics: { toolOutputsTruncated: 1 },
        });
        const { requests } = await session.resume('after the clean');
        const told = JSON.stringify(requests[0]);
        expect(told).not.toContain('line 39 of the file');
        expect(told).toContain('line 0 of the file[truncated]');
        expect(told).toContain('look at @named.txt please');
      },
    );
  },
);
