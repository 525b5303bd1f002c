/** Claude Code on a model that binds thinking, at an API that refuses thinking behind anything else. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, type MessageReply, redact, say, think } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import {
  CLAUDE_MISSING,
  type ClaudeSession,
  flaggedEnv,
  type Resumed,
  type ScriptedTurn,
  writeClaudeSession,
} from './claude-session.ts';
import { tellConversation } from './conversation.ts';

const BOUND = { extraArguments: ['--model', 'claude-opus-5-5'] };

const TURNS: readonly ScriptedTurn[] = ['first', 'second'].map((name) => ({
  prompt: `${name} question`,
  replies: [
    {
      blocks: [
        think(`About the ${name}.`),
        call(`toolu_${name}`, 'Bash', { command: 'seq 1 60', description: 'count' }),
      ],
    },
    { blocks: [think(`Of the ${name}.`), say(`The ${name} done.`)] },
  ],
}));

/** One line of the transcript for each block. */
const SINCE: readonly MessageReply[] = [
  {
    blocks: [
      think('Look again.'),
      say('Again.'),
      redact('hidden'),
      call('toolu_since', 'Bash', { command: 'seq 1 60', description: 'count' }),
    ],
  },
  { blocks: [think('Seen.'), say('Since done.')] },
];

describe.skipIf(CLAUDE_MISSING !== undefined)(`a model that binds thinking ${CLAUDE_MISSING ?? ''}`, () => {
  let session: ClaudeSession;
  beforeAll(async () => {
    session = await writeClaudeSession(TURNS, BOUND);
  });
  beforeEach(async () => {
    await session.reset();
    session.api.forget();
  });
  afterEach(() => expect([session.api.faults, session.api.dropped]).toEqual([[], []]));
  afterAll(() => session?.close());

  const occ = async (...words: string[]) => {
    const { stdout, stderr } = await session.occ([...words, '--json']);
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };
  const heard = ({ requests }: Resumed) => tellConversation(requests[0]).slice(-6);

  test('what was said since a clean has no thinking after a restore, and the session goes on', async () => {
    const original = await readFile(session.path, 'utf8');
    await occ('edit', session.path, '--strip-tools=extreme');
    await session.talk('said since', SINCE, BOUND);
    expect(await occ('restore', session.path)).toMatchObject({ thinkingUnbound: 3 });
    expect((await readFile(session.path, 'utf8')).startsWith(original)).toBe(true);
    expect(heard(await session.resume('and now', BOUND))).toEqual([
      'assistant | (Of the second.) | The second done.',
      'user | said since',
      'assistant | Again. | call toolu_since',
      'user | result toolu_since',
      'assistant | Since done.',
      'user | and now',
    ]);
  });

  test('a last line of thinking alone, left by a run that was killed, is in the way of no restore', async () => {
    await occ('edit', session.path, '--strip-tools=extreme');
    await session.talk('said since', SINCE, BOUND);
    const lines = (await readFile(session.path, 'utf8')).split('\n');
    const last = lines.findLastIndex((line) => line.includes('"thinking":"Seen."'));
    await writeFile(session.path, `${lines.slice(0, last + 1).join('\n')}\n`);
    await occ('restore', session.path, '--force');
    const told = tellConversation((await session.resume('and now', BOUND)).requests[0]);
    expect(told.filter((line) => line.startsWith('user')).at(-1)).toContain('and now');
  });

  test('thinking that an earlier version left behind changed lines goes with the next edit', async () => {
    // As earlier versions cleaned: as if the model bound none.
    const answerAs = async (model: string, ...paths: string[]) => {
      for (const path of paths) {
        const text = await readFile(path, 'utf8');
        await writeFile(path, text.replaceAll(/"model":"claude-opus-\d-\d"/g, `"model":"${model}"`));
      }
    };
    await answerAs('claude-opus-4-8', session.path);
    const { backupPath } = await occ('edit', session.path, '--keep=1', '--truncate=0');
    await answerAs('claude-opus-5-5', session.path, backupPath);
    expect(await occ('info', session.path)).toMatchObject({ staleThinking: 2 });
    const edited = await occ('edit', session.path, '--keep=1', '--truncate=0');
    expect(edited).toMatchObject({ changed: true, staleThinking: 2 });
    expect(heard(await session.resume('and now', BOUND))).toEqual([
      'assistant | The first done.',
      'user | second question',
      'assistant | call toolu_second',
      'user | result toolu_second',
      'assistant | The second done.',
      'user | and now',
    ]);
  });

  test('info counts what the API left out, as Claude Code records it', LONG, async () => {
    const text = await readFile(session.path, 'utf8');
    await writeFile(session.path, text.replaceAll('"first question"', '"another question"'));
    session.api.setBinding('drop_block');
    try {
      await session.resume('and now', { ...BOUND, env: flaggedEnv('drop') });
      expect(await occ('info', session.path)).toMatchObject({
        droppedThinking: { answers: 1, blocks: session.api.dropped.length, isCurrent: true },
      });
      expect(session.api.dropped).toHaveLength(4);
    } finally {
      session.api.setBinding('enforce');
      session.api.forget();
    }
  });
});
