/** Edits that were once accepted and could not be undone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ID, makeStateFolder } from '../commands/state-folder.ts';
import { makeHome } from '../session-db/database-home.ts';
import { makeEvents, ID as ROW_ID, talkIn } from '../session-db/talking-home.ts';
import { createSessionWithTurns, formatLines, type SessionLine } from '../setup/sessions.ts';

describe('a file', () => {
  const turns = createSessionWithTurns(6, 1, { tree: true, resultLength: 900 });
  const isCall = ({ message }: SessionLine) => (message as SessionLine | undefined)?.stopReason === 'toolUse';

  it.each([
    ['a removed call hangs from a line that is not there', turns.filter((_, at) => at !== 1)],
    [
      'every call hangs from a line that is not there',
      turns.map((line) => (isCall(line) ? { ...line, parentId: 'nowhere0' } : line)),
    ],
  ])('%s', async (_, lines) => {
    const state = makeStateFolder();
    const path = state.add([]);
    const original = formatLines(lines);
    writeFileSync(path, original);
    await state.json('edit', ID, '--keep=0');
    await state.json('restore', ID);
    expect(readFileSync(path, 'utf8')).toBe(original);
  });
});

describe("OpenClaw's database", () => {
  it.each([[1_794_767_000_000.25], [1e300], [-1e300]])('an event of the time %d', async (timestamp) => {
    const events = [...makeEvents()].map((event, at) => (at === 0 ? event : { ...event, timestamp }));
    const session = { key: 'agent:main:main', sessionId: ROW_ID, events, createdAt: 1_794_767_348_365 };
    const home = talkIn(makeHome([session]));
    const before = home.file();
    await home.edit('--keep=0');
    await home.restore();
    expect(home.file()).toBe(before);
  });
});
