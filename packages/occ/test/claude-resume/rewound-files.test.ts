/** File checkpoints: what the real Claude Code puts back after a clean, and in a clone. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { call, say } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import { CLAUDE_MISSING, type ClaudeSession, openClaude, SESSION_ID } from './claude-session.ts';

type Line = Record<string, unknown>;

const binary = findClaudeBinary();
const CHECKPOINTS = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1' };
const RUN = { allowedTools: ['Write', 'Read'], env: CHECKPOINTS };

describe.skipIf(CLAUDE_MISSING !== undefined)(
  `files that the real Claude Code changed ${CLAUDE_MISSING ?? ''}`,
  () => {
    let session: ClaudeSession;
    let prompts: Record<string, string>;
    let kept: string;
    let made: string;

    beforeAll(async () => {
      session = await openClaude();
      kept = join(session.home.cwd, 'kept.txt');
      made = join(session.home.cwd, 'made.txt');
      await writeFile(kept, 'original\n');
      const write = (id: string, path: string, content: string) =>
        call(id, 'Write', { file_path: path, content });
      await session.talk(
        'first',
        [
          { blocks: [call('t1', 'Read', { file_path: kept })] },
          { blocks: [write('t2', kept, 'one\n')] },
          { blocks: [say('First done.')] },
        ],
        { ...RUN, sessionId: SESSION_ID },
      );
      await session.talk(
        'second',
        [
          { blocks: [write('t3', kept, 'two\n'), write('t4', made, 'made\n')] },
          { blocks: [say('Second done.')] },
        ],
        RUN,
      );
      const lines = await session.home.readTranscript(SESSION_ID);
      const typed = lines.filter(({ message }) => typeof (message as Line | undefined)?.content === 'string');
      prompts = Object.fromEntries(typed.map((line) => [(line.message as Line).content, line.uuid]));
      expect(Object.keys(prompts)).toEqual(['first', 'second']);
    });
    beforeEach(async () => {
      await session.reset();
      await writeFile(kept, 'two\n');
      await writeFile(made, 'made\n');
    });
    afterAll(() => session?.close());

    async function rewind(to: string, id = SESSION_ID): Promise<void> {
      if ('missing' in binary) throw new Error(binary.missing);
      const words = ['-p', '--resume', id, '--rewind-files', prompts[to]!, '--setting-sources', ''];
      const run = promisify(execFile)(binary.path, words, {
        cwd: session.home.cwd,
        env: { ...session.home.env, ...CHECKPOINTS },
      });
      run.child.stdin?.end();
      await run;
    }
    const restored = async () => [
      await readFile(kept, 'utf8'),
      existsSync(made) ? await readFile(made, 'utf8') : undefined,
    ];

    test('go back to any prompt after all tools were removed', LONG, async () => {
      const before = await readFile(session.path);
      const edit = await session.occ(['edit', session.path, '--strip-tools=extreme', '--json']);
      expect(edit.stderr).toBe('');
      await rewind('second');
      expect(await restored()).toEqual(['one\n', undefined]);
      await rewind('first');
      expect(await restored()).toEqual(['original\n', undefined]);

      const restore = await session.occ(['restore', session.path, '--json']);
      expect(restore.stderr).toBe('');
      expect((await readFile(session.path)).subarray(0, before.length)).toEqual(before);
    });

    test.each([[], ['--strip-tools=extreme']])(
      'go back in a clone as they do in a fork %s',
      LONG,
      async (...flags) => {
        const clone = await session.occ(['clone', session.path, '--json', ...flags.flat()]);
        expect(clone.stderr).toBe('');
        const { clonedSessionId } = JSON.parse(clone.stdout) as { clonedSessionId: string };
        await rewind('first', clonedSessionId);
        expect(await restored()).toEqual(['original\n', undefined]);

        const histories = join(session.home.config, 'file-history');
        const names = readdirSync(join(histories, SESSION_ID));
        expect(readdirSync(join(histories, clonedSessionId))).toEqual(names);
        for (const name of names) {
          const [ofClone, ofSource] = [clonedSessionId, SESSION_ID].map((id) =>
            statSync(join(histories, id, name)),
          );
          expect(ofClone!.ino).toBe(ofSource!.ino);
        }
      },
    );
  },
);
