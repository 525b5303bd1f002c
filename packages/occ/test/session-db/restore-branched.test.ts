/** Sessions in the database that went on from an earlier entry since the edit: what the model is given after a restore. */
import { beforeEach, expect, it } from 'vitest';
import { HUNT, sample } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { composeSession } from '../../../sessions/test/openclaw-db/setup/compose-session.ts';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import type { Json } from './database-home.ts';
import { readLinesOf, readPathOf } from './look-into.ts';
import { ID, makeTalkingHome, type TalkingHome } from './talking-home.ts';

let home: TalkingHome;
let original: Heard;
beforeEach(() => {
  home = makeTalkingHome(generateEvents({ seed: 5, turns: 6, rounds: 2, resultLength: 900, sessionId: ID }));
  original = hear();
});

interface Heard {
  readonly calls: string[];
  readonly results: string[];
  readonly texts: string[];
}

function readPath(): Json[] {
  const lines = new Map(readLinesOf(home.path, ID).map(({ seq, text }) => [seq, JSON.parse(text) as Json]));
  return readPathOf(home.path, ID).map((seq) => lines.get(seq)!);
}

/** What is on the active path as OpenClaw keeps it. */
function hear(): Heard {
  const messages = readPath().flatMap(({ message }) => message ?? []);
  const blocks = messages.flatMap(({ role, content }) =>
    role === 'toolResult' || typeof content === 'string' ? [] : content,
  );
  return {
    calls: blocks.flatMap(({ type, id }: Json) => (type === 'toolCall' ? [id] : [])),
    results: messages.flatMap(({ toolCallId }) => toolCallId ?? []),
    texts: messages.flatMap(({ role, content }) => {
      if (role === 'toolResult') return [];
      if (typeof content === 'string') return [content];
      return content.flatMap((block: Json) => (block.type === 'text' ? [block.text] : []));
    }),
  };
}

/** As OpenClaw repairs a conversation: what followed an entry is written again behind it, under new ids. */
function repeatFrom(place: number): void {
  const path = readPath();
  const messages = path.slice(place + 1).filter(({ type }) => type === 'message');
  const again = messages.map(({ message }, at) => ({
    type: 'message',
    message: { ...message, idempotencyKey: undefined },
    ...(at === 0 ? { parentId: path[place].id } : {}),
  }));
  home.say('', again);
}

it.each(
  sample(
    [
      [4, true],
      [4, false],
      [9, true],
      [9, false],
    ],
    { gate: 2 },
  ),
)('repaired from entry %i on, and something said since: %s', HUNT, async (place, isSaid) => {
  await home.edit('--keep=0');
  repeatFrom(place);
  if (isSaid) home.say('something');
  const said = isSaid ? hear() : undefined;
  const before = home.file();
  const { context, note } = await home.restore(1);
  expect(hear()).toEqual({
    calls: [...original.calls, ...(said?.calls ?? [])],
    results: [...original.results, ...(said?.results ?? [])],
    texts: [...original.texts, ...(said?.texts.slice(-2) ?? [])],
  });
  const calls = original.calls.length + (isSaid ? 1 : 0);
  expect(context).toMatchObject({ toolCalls: calls, toolResults: calls, toolCallsLeft: 0 });
  expect(note).toContain('now follows the restored lines');
  await home.restore();
  expect(home.file()).toBe(before);
});

/** The calls stand beside words, so that a clean leaves their message. */
function startWithWords(): void {
  const session = composeSession({ seed: 5, sessionId: ID });
  for (const turn of [1, 2, 3]) {
    session.addUser(`Question ${turn}`);
    session.addAssistant({ text: 'I look.', calls: [{ path: 'a.txt' }, { path: 'b.txt' }] });
    for (const name of ['a', 'b']) session.addResult(`${name} `.repeat(400));
    session.addAssistant({ text: `Answer ${turn}` });
  }
  home = makeTalkingHome(session.events);
}

it('a person went back to a message that had lost its calls: their results come back with them', async () => {
  startWithWords();
  await home.edit('--keep=0');
  const lost = readPath().filter(({ message }) => message?.stopReason === 'toolUse');
  home.say('', [
    { type: 'message', parentId: lost[1].id, message: { role: 'user', content: 'Instead' } },
    { role: 'assistant', content: [{ type: 'text', text: 'So be it' }] },
  ]);
  await home.restore(1);
  const heard = hear();
  expect(heard.results).toEqual(heard.calls);
  expect(heard.calls.length).toBeGreaterThan(0);
  expect(heard.texts.slice(-2)).toEqual(['Instead', 'So be it']);
});

it('the end was moved to a message that had lost its calls: refused, and done by --force', async () => {
  startWithWords();
  await home.edit('--keep=0');
  const lost = readPath().filter(({ message }) => message?.stopReason === 'toolUse');
  home.say('', [{ type: 'leaf', targetId: lost[1].id }]);
  const before = home.file();
  const { code, message } = await home.refused('restore', ID);
  expect(code).toBe('RESTORE_FAILED');
  expect(message).toContain('a tool call would be without its result');
  expect(home.file()).toBe(before);
  const { note } = await home.json('restore', ID, '--force');
  expect(note).toContain('without its result');
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

it('a later compaction kept words that an earlier one had left before thinking: refused, and done by --force', async () => {
  const thinking = { type: 'thinking', thinking: 'Let me look.', thinkingSignature: 'a1b2' };
  const call = { type: 'toolCall', id: 'call_x', name: 'read', arguments: { path: 'x.txt' } };
  const result = { role: 'toolResult', toolCallId: 'call_x', toolName: 'read', isError: false };
  const [words, kept] = ['words', 'kept'];
  home.say('', [
    { role: 'user', content: 'Question' },
    {
      type: 'message',
      id: words,
      message: { role: 'assistant', content: [{ type: 'text', text: 'Words' }] },
    },
    { type: 'label', id: kept, targetId: words, label: 'here' },
    { role: 'assistant', content: [thinking, call], stopReason: 'toolUse' },
    { ...result, content: [{ type: 'text', text: 'x '.repeat(400) }] },
    { type: 'compaction', summary: 'What was said', firstKeptEntryId: kept, tokensBefore: 9000 },
    { role: 'user', content: 'Go on' },
  ]);
  const original = home.file();
  await home.edit('--keep=0');
  const said = home.say('', [
    { type: 'compaction', summary: 'What was said', firstKeptEntryId: words, tokensBefore: 9000 },
  ]);
  const before = home.file();
  const { code, message } = await home.refused('restore', ID);
  expect(code).toBe('RESTORE_FAILED');
  expect(message).toContain('thinking would be where providers refuse it');
  expect(home.file()).toBe(before);
  const { note } = await home.restore(undefined, '--force');
  expect(note).toContain('thinking would be where providers refuse it');
  expect(home.file()).toBe(original + said);
});
