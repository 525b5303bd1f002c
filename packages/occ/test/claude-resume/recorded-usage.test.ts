import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, say } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import {
  CLAUDE_MISSING,
  type ClaudeSession,
  type ScriptedTurn,
  SESSION_ID,
  writeClaudeSession,
} from './claude-session.ts';

const SMALL_WINDOW = ['--autocompact', '120000'];
/** 24 outputs of 28,893 bytes weigh more than the window takes; a longer one would go to a file of its own. */
const HEAVY_TURNS: readonly ScriptedTurn[] = [
  {
    prompt: 'count',
    replies: [
      {
        blocks: Array.from({ length: 24 }, (_, index) =>
          call(`toolu_${index}`, 'Bash', { command: 'seq 1 6000', description: 'count' }),
        ),
      },
      { blocks: [say('Counted.')] },
    ],
  },
];

describe.skipIf(CLAUDE_MISSING !== undefined)(
  `the usage that the real Claude Code recorded ${CLAUDE_MISSING ?? ''}`,
  () => {
    let session: ClaudeSession;
    beforeAll(async () => {
      session = await writeClaudeSession(HEAVY_TURNS);
    });
    beforeEach(() => session.reset());
    afterAll(() => session?.close());

    const countCompactions = async (): Promise<number> =>
      (await session.home.readTranscript(SESSION_ID)).filter((line) => line.subtype === 'compact_boundary')
        .length;

    test('makes it compact at once in a small window', LONG, async () => {
      await session.resume('and now', { extraArguments: SMALL_WINDOW });
      expect(await countCompactions()).toBe(1);
    });

    test('no longer does after a clean', LONG, async () => {
      const edit = await session.occ(['edit', session.path, '--strip-tools=extreme', '--json']);
      expect(edit.stderr).toBe('');
      const { requests } = await session.resume('and now', { extraArguments: SMALL_WINDOW });
      expect(await countCompactions()).toBe(0);
      expect(requests).toHaveLength(1);
    });

    test('no longer does after a clean, where figures of single steps are recorded too', LONG, async () => {
      await recordSteps();
      await session.resume('before', { extraArguments: SMALL_WINDOW });
      expect(await countCompactions()).toBe(1);
      await session.reset();
      await recordSteps();
      await session.occ(['edit', session.path, '--strip-tools=extreme', '--json']);
      await session.resume('after', { extraArguments: SMALL_WINDOW });
      expect(await countCompactions()).toBe(0);
    });

    /** The real API reports them as well, and they count before the sums do. */
    async function recordSteps(): Promise<void> {
      const lines = (await readFile(session.path, 'utf8')).replaceAll(
        /"cache_read_input_tokens":(\d+),("output_tokens":.*?)"iterations":\[\]/g,
        (_, cached: string, between: string) => {
          const step = {
            type: 'message',
            input_tokens: 1005,
            output_tokens: 10,
            cache_read_input_tokens: Number(cached),
            cache_creation_input_tokens: 0,
          };
          return `"cache_read_input_tokens":${cached},${between}"iterations":[${JSON.stringify(step)}]`;
        },
      );
      expect(lines).toContain('"iterations":[{');
      await writeFile(session.path, lines);
    }
  },
);
