/** Models that bind thinking: what was said since an edit loses it when a restore changes what comes before it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { ID, type Json, makeStateFolder, type StateFolder } from '../commands/state-folder.ts';
import { makeHome } from '../session-db/database-home.ts';
import { makeEvents, ID as ROW_ID, talkIn } from '../session-db/talking-home.ts';
import { createSessionWithTurns, formatLines } from '../setup/sessions.ts';

const BOUND = 'claude-opus-5-5';
const OLDER = 'claude-opus-4-8';

const SIGNED = { type: 'thinking', thinking: 'About it.', thinkingSignature: 'c2lnbmVk' };
const REDACTED = { type: 'thinking', thinking: '', thinkingSignature: 'cmVkYWN0ZWQ=', redacted: true };
const EMPTY = { type: 'thinking', thinking: '', thinkingSignature: 'ZW1wdHk=' };

/** A turn of which one message is thinking alone, and the same without thinking. */
function turn(about: string, model: string, isWhole = true): Json[] {
  const thinking = (...blocks: object[]) => (isWhole ? blocks : []);
  const call = `call_${about}`;
  const answers = { role: 'assistant', provider: 'anthropic', model };
  return [
    { role: 'user', content: `Question ${about}` },
    {
      ...answers,
      content: [
        ...thinking(SIGNED),
        { type: 'toolCall', id: call, name: 'read', arguments: { path: about } },
      ],
      stopReason: 'toolUse',
    },
    { role: 'toolResult', toolCallId: call, toolName: 'read', content: [{ type: 'text', text: about }] },
    ...thinking({ ...answers, content: thinking(EMPTY), stopReason: 'stop' }),
    {
      ...answers,
      content: [...thinking(REDACTED), { type: 'text', text: `Answer ${about}` }],
      stopReason: 'stop',
    },
  ];
}

const hasThinking = ({ message }: Json) => JSON.stringify(message?.content ?? '').includes('"thinking"');

describe('in a file', () => {
  let state: StateFolder;
  let path: string;
  let original: string;
  beforeEach(() => {
    state = makeStateFolder();
    const lines = createSessionWithTurns(6, 1, { tree: true, resultLength: 900, sessionId: ID }) as Json[];
    path = state.add([]);
    original = formatLines(lines.map((line) => think(line)));
    writeFileSync(path, original);
  });

  /** Each answer of the session was thought of first. */
  function think(line: Json): Json {
    const { message } = line;
    if (message?.role !== 'assistant') return line;
    return { ...line, message: { ...message, model: BOUND, content: [SIGNED, ...message.content] } };
  }

  const read = () => readFileSync(path, 'utf8');

  /** Appends messages below the leaf; returns their lines. */
  function say(messages: readonly Json[]): Json[] {
    const about = messages[0]!.content.split(' ').at(-1);
    let parentId = JSON.parse(read().trimEnd().split('\n').at(-1)!).id;
    const lines = messages.map((message, number) => {
      const id = `said-${about}-${number}`;
      const line = { type: 'message', id, parentId, timestamp: '2026-03-01T00:00:00.000Z', message };
      parentId = id;
      return line;
    });
    writeFileSync(path, read() + formatLines(lines));
    return lines;
  }

  const edit = () => state.json('edit', ID, '--keep=0');

  it('its thinking goes, and a message of thinking alone; the restored lines keep theirs', async () => {
    await edit();
    const said = say(turn('now', BOUND));
    const cleaned = read();
    const done = await state.json('restore', ID);
    expect(done).toMatchObject({ thinkingUnbound: 3, linesKept: 4 });
    const plain = turn('now', BOUND, false);
    const kept = said.filter((line) => line.message.content[0] !== EMPTY);
    const expected = kept.map((line, at) => ({
      ...line,
      parentId: at === 0 ? line.parentId : kept[at - 1]!.id,
      message: plain[at],
    }));
    expect(read()).toBe(original + formatLines(expected));
    await state.json('restore', ID);
    expect(read()).toBe(cleaned);
  });

  it('so it is with --backup and --original', async () => {
    await edit();
    say(turn('one', BOUND));
    await edit();
    say(turn('two', BOUND));
    const first = await state.json('restore', ID, '--backup=1');
    expect(first.thinkingUnbound).toBeGreaterThan(0);
    expect(read().startsWith(original)).toBe(true);
    expect(linesAfter(original).filter(hasThinking)).toEqual([]);
    expect(linesAfter(original).map(textOf).filter(Boolean)).toEqual(['Answer one', 'Answer two']);
    // Their backups take the place of the first one.
    for (const about of ['a', 'b', 'c', 'd', 'e']) {
      say(turn(about, BOUND));
      await edit();
    }
    const last = await state.json('restore', ID, '--original');
    expect(last.thinkingUnbound).toBeGreaterThan(0);
    expect(read().startsWith(original)).toBe(true);
    expect(linesAfter(original).filter(hasThinking)).toEqual([]);
  });

  const linesAfter = (start: string): Json[] =>
    read()
      .slice(start.length)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const textOf = ({ message }: Json) =>
    message.role === 'assistant' && message.content.find(({ type }: Json) => type === 'text')?.text;

  it('so it is without a journal', async () => {
    await edit();
    say(turn('now', BOUND));
    writeFileSync(`${state.sessions}/backups/${ID}.occ.json`, '{}');
    expect(await state.json('restore', ID)).toMatchObject({ thinkingUnbound: 3 });
    expect(linesAfter(original).filter(hasThinking)).toEqual([]);
  });

  it('a last message of thinking alone stays, with nothing in it', async () => {
    await edit();
    const [question, thought] = say([
      { role: 'user', content: 'Question now' },
      { role: 'assistant', model: BOUND, content: [SIGNED], stopReason: 'stop' },
    ]);
    await state.json('restore', ID, '--force');
    expect(read()).toBe(
      original + formatLines([question!, { ...thought, message: { ...thought!.message, content: [] } }]),
    );
  });

  it('of an older model it stays', async () => {
    await edit();
    const said = formatLines(say(turn('now', OLDER)));
    const done = await state.json('restore', ID);
    expect(done).not.toHaveProperty('thinkingUnbound');
    expect(read()).toBe(original + said);
  });

  it('it stays where the model reads the same before it', async () => {
    const lines = original
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const summary = {
      type: 'compaction',
      id: 'compact0',
      parentId: lines.at(-1).id,
      timestamp: '2026-03-01T00:00:00.000Z',
      summary: 'All of it.',
      firstKeptEntryId: 'compact0',
      tokensBefore: 9,
    };
    original += formatLines([summary]);
    writeFileSync(path, original);
    await edit();
    expect(read()).not.toBe(original);
    const said = formatLines(say(turn('now', BOUND)));
    expect(await state.json('restore', ID)).not.toHaveProperty('thinkingUnbound');
    expect(read()).toBe(original + said);
  });

  it('the report names it', async () => {
    await edit();
    say(turn('now', BOUND));
    const { stdout } = await state.occ('restore', ID);
    expect(stdout).toContain('\n  Thinking: 3 blocks of these lines removed, because ');
  });
});

describe("in OpenClaw's database", () => {
  const home = () => {
    const events = [...makeEvents()].map((event) => {
      const { message } = event as Json;
      return message?.role === 'assistant' ? { ...event, message: { ...message, model: BOUND } } : event;
    });
    return talkIn(
      makeHome([{ key: 'agent:main:main', sessionId: ROW_ID, events, createdAt: 1_794_767_348_365 }]),
    );
  };

  it('its thinking goes, and the restored rows are as they were', async () => {
    const talk = home();
    const before = talk.file();
    await talk.edit('--keep=0');
    talk.say('now', turn('now', BOUND));
    const cleaned = talk.file();
    const done = await talk.restore();
    expect(done).toMatchObject({ thinkingUnbound: 3, linesKept: 4 });
    const file = talk.file();
    expect(file.startsWith(before)).toBe(true);
    const messages = file
      .slice(before.length)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).message);
    expect(messages).toEqual(turn('now', BOUND, false));
    await talk.restore();
    expect(talk.file()).toBe(cleaned);
  });

  it('of an older model it stays', async () => {
    const talk = home();
    const before = talk.file();
    await talk.edit('--keep=0');
    const said = talk.say('now', turn('now', OLDER));
    await talk.restore();
    expect(talk.file()).toBe(before + said);
  });
});
