import { appendFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scanTranscriptFile } from '@openbot/sessions';
import { leafOf } from '@openbot/sessions/transcript';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import {
  CLAUDE_MISSING,
  type ClaudeSession,
  SESSION_ID,
  WHOLE_CONVERSATION,
  writeClaudeSession,
} from './claude-session.ts';
import { tellConversation } from './conversation.ts';

type Line = Record<string, unknown>;

const COMPACTED = 'bbbb0020-0000-4000-8000-000000000000';
const FIXTURE = join(
  import.meta.dirname,
  '../../../../fixtures/claude-code/projects/-home-user-work-types',
  `${COMPACTED}.jsonl`,
);
const FIRST_TURN = WHOLE_CONVERSATION.slice(0, 4);
const CLEANED_FIRST_TURN = ['user | first question', 'assistant | Let me look.', 'assistant | First done.'];

describe.skipIf(CLAUDE_MISSING !== undefined)(
  `a session that stands elsewhere than at its end, resumed by the real Claude Code ${CLAUDE_MISSING ?? ''}`,
  () => {
    let session: ClaudeSession;
    let written: Line[];
    beforeAll(async () => {
      session = await writeClaudeSession();
      written = await session.home.readTranscript(SESSION_ID);
    });
    beforeEach(() => session.reset());
    afterAll(() => session?.close());

    const find = (said: string) => written.find((line) => JSON.stringify(line.message ?? '').includes(said))!;
    const note = (leafUuid: unknown, more: Line = {}): Line => ({
      type: 'last-prompt',
      lastPrompt: 'x',
      leafUuid,
      sessionId: SESSION_ID,
      ...more,
    });
    const rewind = (leafUuid: unknown) => note(leafUuid, { explicit: true });
    const append = (...lines: Line[]) =>
      appendFile(session.path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const branch = (): Line[] => {
      const [question, answer] = [find('second question'), find('Fourth done.')];
      const uuids = ['00000000-0000-4000-8000-0000000000b1', '00000000-0000-4000-8000-0000000000b2'];
      const content = [{ type: 'text', text: 'Branch done.' }];
      const message = { ...(answer.message as Line), id: 'msg_branch', content };
      return [
        {
          ...question,
          uuid: uuids[0],
          parentUuid: find('First done.').uuid,
          message: { role: 'user', content: 'branch' },
        },
        { ...answer, uuid: uuids[1], parentUuid: uuids[0], message },
      ];
    };

    /** What the model is told, after a look at where the library says that the session stands. */
    async function resume(id = SESSION_ID, path = session.path): Promise<string[]> {
      const transcript = await scanTranscriptFile(path);
      const leaf = leafOf(transcript);
      const { requests } = await session.resume('next', { resume: id });
      const lines = await session.home.readTranscript(id);
      const next = lines.findLast(({ message }) => (message as Line | undefined)?.content === 'next')!;
      expect(next.parentUuid).toBe(leaf < 0 ? null : transcript.idOf(leaf));
      const told = tellConversation(requests[0]);
      expect(told.at(-1)).toBe('user | next');
      return told.slice(0, -1);
    }

    async function clean(path = session.path): Promise<Line> {
      const edit = await session.occ(['edit', path, '--strip-tools=extreme', '--json']);
      expect(edit.stderr).toBe('');
      return JSON.parse(edit.stdout) as Line;
    }

    test('rewound: before a clean and after it', async () => {
      await append(rewind(find('First done.').uuid));
      expect(await resume()).toEqual(FIRST_TURN);
      await session.reset();
      await append(rewind(find('First done.').uuid));
      expect(await clean()).toMatchObject({ changed: true });
      expect(await resume()).toEqual(CLEANED_FIRST_TURN);
    });

    test('rewound, and a note that says nothing else', LONG, async () => {
      const { uuid } = find('First done.');
      await append(rewind(uuid), note(undefined), note(null), note(uuid));
      expect(await resume()).toEqual(FIRST_TURN);
    });

    test('rewound, and a note of another line', LONG, async () => {
      await append(rewind(find('First done.').uuid), note(find('Second done.').uuid));
      expect((await resume()).at(-1)).toBe(WHOLE_CONVERSATION.at(-1));
    });

    test('rewound to a line that is not there', LONG, async () => {
      await append(rewind('00000000-0000-4000-8000-00000000dead'));
      expect((await resume()).at(-1)).toBe(WHOLE_CONVERSATION.at(-1));
    });

    test('rewound to the very beginning', LONG, async () => {
      await append(rewind(null));
      expect(await clean()).toMatchObject({ changed: false });
      expect(await resume()).toEqual([]);
    });

    test('on the branch of the last note, another one being written last', LONG, async () => {
      await append(...branch());
      expect((await resume()).at(-1)).toBe(WHOLE_CONVERSATION.at(-1));
      await session.reset();
      await append(...branch());
      await clean();
      const told = await resume();
      expect(told.join()).not.toContain('call');
      // What was thought in that turn went with its calls.
      expect(told.at(-1)).toBe('assistant | Fourth done.');
    });

    test('on the branch that was written last, by its note', LONG, async () => {
      await append(...branch(), note(branch()[1]!.uuid));
      expect(await resume()).toEqual([...FIRST_TURN, 'user | branch', 'assistant | Branch done.']);
      await session.reset();
      await append(...branch(), note(branch()[1]!.uuid));
      await clean();
      expect(await resume()).toEqual([...CLEANED_FIRST_TURN, 'user | branch', 'assistant | Branch done.']);
    });

    describe('compacted', () => {
      const SUMMARY = expect.stringContaining('This session is being continued') as unknown as string;
      const PRESERVED = [
        'assistant | Now read the file. | call toolu_mock000019hri',
        'user | result toolu_mock000019hri',
        'assistant | All done.',
      ];
      const SINCE = ['user | @@toolong go', 'assistant | Fits after reactive compaction.'];
      const path = () => session.home.transcriptPath(COMPACTED);
      beforeEach(async () => {
        await mkdir(session.home.projectFolder, { recursive: true });
        await cp(FIXTURE, path());
      });
      const idOf = async (beginning: string) => {
        const lines = await session.home.readTranscript(COMPACTED);
        return lines.find(({ uuid }) => String(uuid).startsWith(beginning))!.uuid;
      };
      /** As older versions wrote it. */
      async function dropList(): Promise<void> {
        const lines = (await readFile(path(), 'utf8')).replace(/,"preservedMessages":\{[^}]*\}/, '');
        expect(lines).toContain('"preservedSegment"');
        expect(lines).not.toContain('"preservedMessages"');
        await writeFile(path(), lines);
      }

      test('with the preserved messages as a stretch', LONG, async () => {
        await dropList();
        expect(await resume(COMPACTED, path())).toEqual([SUMMARY, ...PRESERVED, ...SINCE]);
        await cp(FIXTURE, path());
        await dropList();
        expect(await clean(path())).toMatchObject({ changed: true });
        expect(await resume(COMPACTED, path())).toEqual([
          SUMMARY,
          'assistant | Now read the file.',
          'assistant | All done.',
          ...SINCE,
        ]);
      });

      test('rewound to a preserved message', LONG, async () => {
        const rewound = rewind(await idOf('5abc86bb'));
        await appendFile(path(), `${JSON.stringify(rewound)}\n`);
        expect(await resume(COMPACTED, path())).toEqual([SUMMARY, ...PRESERVED]);
        // It went on from there.
        expect(await resume(COMPACTED, path())).toEqual([
          SUMMARY,
          ...PRESERVED,
          ...['user | next', 'assistant | ok'],
        ]);
      });

      test('rewound to a message that is out of reach', LONG, async () => {
        const rewound = rewind(await idOf('bd679ebc'));
        await appendFile(path(), `${JSON.stringify(rewound)}\n`);
        expect(await resume(COMPACTED, path())).toEqual([SUMMARY, ...PRESERVED, ...SINCE]);
      });
    });
  },
);
