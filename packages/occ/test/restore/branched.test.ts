/** Sessions that went on from an earlier entry since the edit: what the model is given after a restore. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { beforeEach, describe, expect, it } from 'vitest';
import { HUNT, sample } from '../../../../test/setup/hunt.ts';
import { ID, type Json, makeStateFolder, type StateFolder } from '../commands/state-folder.ts';
import { createSessionWithTurns, formatLines, readLines } from '../setup/sessions.ts';
import { type Heard, hearMessages } from './heard.ts';

let state: StateFolder;
let path: string;
let original: Heard;
beforeEach(() => {
  state = makeStateFolder();
  const lines = createSessionWithTurns(6, 2, { tree: true, resultLength: 900, sessionId: ID });
  path = state.add([]);
  // Messages have a time of their own, as those of real agents.
  writeFileSync(path, formatLines(lines.map((line, at) => withTime(line as Json, at))));
  original = hear();
});

function withTime(line: Json, at: number): Json {
  if (line.type !== 'message') return line;
  return { ...line, message: { ...line.message, timestamp: 1_738_324_800_000 + at * 1000 } };
}

/** What pi gives to the model. */
const hear = () => hearMessages(SessionManager.open(path).buildSessionContext().messages);

const say = (session: SessionManager, text: string) => {
  session.appendMessage({ role: 'user', content: [{ type: 'text', text }], timestamp: 1 } as Json);
  session.appendMessage({
    role: 'assistant',
    content: [{ type: 'text', text: `About ${text}` }],
    stopReason: 'stop',
    timestamp: 2,
  } as Json);
};

/** As OpenClaw repairs a conversation: it goes back to an entry and repeats what followed, changed or not, under new ids. */
function repeatFrom(session: SessionManager, place: number, change = (message: Json): Json => message): void {
  const entries = session.getBranch() as Json[];
  session.branch(entries[place].id);
  for (const { type, message } of entries.slice(place + 1)) {
    if (type === 'message') session.appendMessage(change(message));
  }
}

describe.each([
  ['nothing was said', false],
  ['something was said', true],
])('repaired since the edit, after which %s', (_, isSaid) => {
  it.each(sample([0, 2, 5, 9], { gate: 2 }))(
    'from entry %i on: the model is given all that the backup has',
    HUNT,
    async (place) => {
      await state.json('edit', ID, '--keep=0');
      const session = SessionManager.open(path);
      repeatFrom(session, place, (message) => ({ ...message, details: { repaired: true } }));
      if (isSaid) say(session, 'now');
      const leaf = session.getLeafId();
      const before = readFileSync(path, 'utf8');
      const { context, note } = await state.json('restore', ID);
      const heard = hear();
      expect(heard).toEqual({
        ...original,
        texts: [...original.texts, ...(isSaid ? ['now', 'About now'] : [])],
      });
      expect(context).toMatchObject({ toolCalls: 12, toolResults: 12, toolCallsLeft: 0, complete: true });
      expect(note).toContain('now follows the restored lines');
      expect(SessionManager.open(path).getLeafId()).toBe(leaf);
      await state.json('restore', ID);
      expect(readFileSync(path, 'utf8')).toBe(before);
    },
  );
});

describe('repaired since the edit, with messages between the repeated ones', () => {
  const result = {
    role: 'toolResult',
    toolCallId: 'lost',
    toolName: 'read',
    content: [{ type: 'text', text: '[openclaw] missing tool result' }],
    isError: true,
    timestamp: 3,
  };
  const question = { role: 'user', content: [{ type: 'text', text: 'And this?' }], timestamp: 4 };

  function repeatWith(session: SessionManager, message: Json): void {
    const entries = session.getBranch() as Json[];
    session.branch(entries[2].id);
    for (const [at, entry] of entries.slice(3).entries()) {
      session.appendMessage(entry.message);
      if (at === 1) session.appendMessage(message);
    }
    say(session, 'now');
  }

  it('results for calls that have none: the model is given all that the backup has', async () => {
    await state.json('edit', ID, '--keep=0');
    repeatWith(SessionManager.open(path), result);
    const { context } = await state.json('restore', ID);
    expect(hear()).toEqual({ ...original, texts: [...original.texts, 'now', 'About now'] });
    expect(context).toMatchObject({ toolCalls: 12, toolResults: 12, toolCallsLeft: 0, complete: true });
  });

  it('words of a person: refused with the reason, and done by --force', async () => {
    await state.json('edit', ID, '--keep=0');
    repeatWith(SessionManager.open(path), question);
    const before = readFileSync(path, 'utf8');
    const { code, message } = await state.refused('restore', ID);
    expect(code).toBe('RESTORE_FAILED');
    expect(message).toContain('it is not certain what was said since');
    expect(readFileSync(path, 'utf8')).toBe(before);
    const { stdout } = await state.occ('restore', ID, '--force');
    expect(stdout).toMatch(/^! Session restored, but the model does not read all of it: /);
    const { context } = await state.json('restore', ID, '--force', '--backup=1');
    expect(context).toMatchObject({ complete: false });
  });
});

it('a person went back to a message that had lost its calls: their results come back with them', async () => {
  await state.json('edit', ID, '--keep=0');
  const session = SessionManager.open(path);
  const said = (session.getBranch() as Json[]).filter(({ message }) => message?.stopReason === 'toolUse');
  session.branch(said[2].id);
  say(session, 'instead');
  const { context } = await state.json('restore', ID);
  const heard = hear();
  expect(heard.calls).toEqual(original.calls.slice(0, 6));
  expect(heard.results).toEqual(original.results.slice(0, 6));
  expect(heard.texts).toEqual([...original.texts.slice(0, 8), 'instead', 'About instead']);
  expect(context).toMatchObject({ toolCalls: 6, toolResults: 6, toolCallsLeft: 6, complete: false });
  const { stdout } = await state.occ('restore', ID, '--list');
  expect(stdout).toContain('before a restore');
});

it('a person went back to an answer: what was left stays left, and the report says so', async () => {
  await state.json('edit', ID, '--keep=0');
  const session = SessionManager.open(path);
  const said = (session.getBranch() as Json[]).filter(({ message }) => message?.stopReason === 'stop');
  session.branch(said[1].id);
  say(session, 'instead');
  const before = readLines(path).at(-2);
  const { stdout } = await state.occ('restore', ID);
  expect(stdout).toMatch(/^! Session restored, but the model does not read all of it: /);
  expect(stdout).not.toContain('✓');
  expect(stdout).toMatch(/The model reads: .*4 tool calls, 4 results/);
  expect(stdout).toMatch(
    /Not read: 8 tool calls that were restored, on a branch that the conversation has left/,
  );
  expect(hear().calls).toEqual(original.calls.slice(0, 4));
  expect(readLines(path).at(-2)).toEqual(before);
});

it('a repair that cannot be distinguished from new messages: refused with the reason, and done by --force', async () => {
  await state.json('edit', ID, '--keep=0');
  const session = SessionManager.open(path);
  const said = (session.getBranch() as Json[]).filter(({ message }) => message?.stopReason === 'toolUse');
  session.branch(said[2].id);
  // Nothing hangs from it, so that nothing can be relinked but the leaf.
  const last = readLines(path).at(-1) as Json;
  writeFileSync(
    path,
    `${readFileSync(path, 'utf8')}${formatLines([{ type: 'leaf', id: 'moved', parentId: last.id, targetId: said[2].id, timestamp: last.timestamp }])}`,
  );
  const before = readFileSync(path, 'utf8');
  const { message, hint } = await state.refused('restore', ID);
  expect(message).toContain('a tool call would be without its result');
  expect(hint).toMatch(/^Nothing was changed\. --force /);
  expect(readFileSync(path, 'utf8')).toBe(before);
  const { note, context } = await state.json('restore', ID, '--force');
  expect(note).toContain('without its result');
  expect(context).toMatchObject({ toolCalls: 6, toolResults: 4 });
});

describe('Claude Code', () => {
  const folder = () => join(state.home, '.claude', 'projects', '-w');
  const transcript = () => join(folder(), `${ID}.jsonl`);
  let lines: Json[];

  /** A question, words and two calls as three lines of one message, their results, an answer. */
  function addTurn(turn: number): void {
    const add = (
      type: string,
      content: unknown,
      message: object = {},
      parent = lines.at(-1)?.uuid ?? null,
    ) => {
      const uuid = `${turn}-${lines.length}`;
      lines.push({
        ...{ parentUuid: parent, isSidechain: false, type, uuid, sessionId: ID, cwd: '/w' },
        message: { role: type, content, ...message },
      });
      return uuid;
    };
    add('user', `Question ${turn}`);
    const id = `msg_${turn}`;
    add('assistant', [{ type: 'text', text: `I look ${turn}` }], { id });
    for (const name of ['a', 'b']) {
      const call = { type: 'tool_use', id: `toolu_${turn}${name}`, name: 'Read', input: { path: name } };
      const uuid = add('assistant', [call], { id });
      const content = `${name} `.repeat(500);
      add('user', [{ type: 'tool_result', tool_use_id: call.id, content }], {}, uuid);
    }
    add('assistant', [{ type: 'text', text: `Answer ${turn}` }], { id: `msg_${turn}b` });
  }

  beforeEach(() => {
    lines = [];
    for (const turn of [1, 2, 3]) addTurn(turn);
    mkdirSync(folder(), { recursive: true });
    writeFileSync(transcript(), formatLines(lines));
  });

  it.each([
    ['an answer', 'Answer 1', 2],
    ['words that had lost their calls', 'I look 2', 4],
  ])(
    'rewound to %s: calls and results on the way there are given, and only those',
    async (_, text, calls) => {
      const original = readFileSync(transcript(), 'utf8');
      await state.json('edit', ID, '--keep=0', '--source=claude');
      const place = lines.find(({ message }) => message.content[0].text === text)!;
      lines = [place];
      addTurn(9);
      const said = formatLines(lines.slice(1));
      writeFileSync(transcript(), readFileSync(transcript(), 'utf8') + said);
      const { context } = await state.json('restore', ID, '--source=claude', '--backup=1');
      expect(readFileSync(transcript(), 'utf8')).toBe(original + said);
      expect(context).toMatchObject({
        toolCalls: calls + 2,
        toolResults: calls + 2,
        toolCallsLeft: 6 - calls,
      });
    },
  );
});
