/** Sessions that OpenClaw itself wrote anew after an edit, since the provider refused their thinking. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { describe, expect, it } from 'vitest';
import { type Json, makeStateFolder } from '../commands/state-folder.ts';
import { appendTurn } from '../session-db/append-turn.ts';
import { makeHome } from '../session-db/database-home.ts';
import { readAsFile, readLinesOf, readPathOf } from '../session-db/look-into.ts';
import { type Heard, hearMessages } from './heard.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures/openclaw-rebranched');
const readFixture = (name: string) => readFileSync(join(FIXTURES, `${name}.jsonl`), 'utf8');
const parse = (text: string): Json[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

interface Rebranched {
  json(...args: string[]): Promise<Json>;
  hear(): Heard;
  /** What OpenClaw wrote in the turn after the edit. */
  takeTurn(): void;
  read(): string;
}

function makeFile(): Rebranched {
  const state = makeStateFolder();
  const before = readFixture('2026.7.35-before');
  const { id } = parse(before)[0];
  const path = state.add([], { sessionId: id });
  writeFileSync(path, before);
  return {
    json: (command, ...args) => state.json(command, id, ...args),
    hear: () => hearMessages(SessionManager.open(path).buildSessionContext().messages),
    takeTurn: () => appendFileSync(path, readFixture('2026.7.35-turn')),
    read: () => readFileSync(path, 'utf8'),
  };
}

function makeRows(): Rebranched {
  const events = parse(readFixture('2026.9.6-before'));
  const { id } = events[0];
  const home = makeHome([{ key: 'agent:main:main', sessionId: id, events }]);
  return {
    json: (command, ...args) => home.json(command, id, ...args),
    hear: () => {
      const texts = new Map(readLinesOf(home.path, id).map(({ seq, text }) => [seq, text]));
      const path = readPathOf(home.path, id).map((seq) => JSON.parse(texts.get(seq)!));
      return hearMessages(path.flatMap(({ message }) => message ?? []));
    },
    takeTurn: () => {
      const database = new DatabaseSync(home.path);
      appendTurn(database, id, '', parse(readFixture('2026.9.6-turn')));
      database.close();
    },
    read: () => readAsFile(home.path, id),
  };
}

describe.each([
  ['files', makeFile],
  ['the database', makeRows],
])('in %s', (_, make) => {
  it('the model is given every call again, and the turn once', async () => {
    const session = make();
    const original = session.hear();
    await session.json('edit', '--strip-tools', '--keep=1');
    session.takeTurn();
    const before = session.read();
    const { context } = await session.json('restore');
    const whole = session.hear();
    expect(whole.calls).toEqual([...original.calls, 'toolu_000013']);
    expect(whole.results).toEqual(whole.calls);
    expect(whole.texts.slice(0, -2)).toEqual(original.texts);
    expect(whole.texts.at(-2)).toMatch(/^fifth question/);
    expect(whole.texts.at(-1)).toBe('fifth answer');
    expect(context).toMatchObject({ toolCalls: 13, toolResults: 13, toolCallsLeft: 0 });
    await session.json('restore');
    expect(session.read()).toBe(before);
  });

  it('so it is when the same backup is put back again, with an edit between or without', async () => {
    const session = make();
    await session.json('edit', '--strip-tools', '--keep=1');
    session.takeTurn();
    await session.json('restore');
    const [heard, restored] = [session.hear(), session.read()];
    await session.json('restore', '--backup=1');
    expect(session.read()).toBe(restored);
    await session.json('edit', '--strip-tools', '--keep=0');
    expect(session.hear().calls).toEqual([]);
    await session.json('restore', '--backup=1');
    expect(session.hear()).toEqual(heard);
    expect(session.read()).toBe(restored);
  });
});
