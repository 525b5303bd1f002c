/** What was said since an edit, where the journal does not tell it: it is gone, or another program rewrote the session. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ID, type Json, makeStateFolder, type StateFolder } from '../commands/state-folder.ts';
import { createSessionWithTurns, formatLines } from '../setup/sessions.ts';

let state: StateFolder;
let path: string;
let lines: Json[];
let original: string;

function start(tree: boolean): void {
  state = makeStateFolder();
  path = state.add([]);
  lines = createSessionWithTurns(4, 1, { tree, resultLength: 900, sessionId: ID });
  original = formatLines(lines);
  writeFileSync(path, original);
}

const read = () => readFileSync(path, 'utf8');
const forget = () => rmSync(join(state.sessions, 'backups', `${ID}.occ.json`));
const parse = (text: string): Json[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const say = (id: string | undefined, parentId: string | undefined, text: string, role = 'user') => ({
  type: 'message',
  ...(id === undefined ? {} : { id, parentId }),
  timestamp: '2026-08-01T00:00:00.000Z',
  message: { role, content: [{ type: 'text', text }] },
});

describe.each([
  ['lines with ids', true],
  ['lines without ids', false],
])('%s', (_, tree) => {
  beforeEach(() => start(tree));
  const last = () => parse(read()).at(-1).id;

  it('what was said since follows', async () => {
    await state.json('edit', ID, '--keep=1');
    const said = formatLines([say(tree ? 'new1' : undefined, last(), 'Say', 'assistant')]);
    appendFileSync(path, said);
    forget();
    const { linesKept } = await state.json('restore', ID);
    expect(read()).toBe(original + said);
    expect(linesKept).toBe(1);
  });

  it('a restore is undone: what it had brought back goes again', async () => {
    await state.json('edit', ID, '--keep=1');
    const cleaned = read();
    await state.json('restore', ID);
    forget();
    await state.json('restore', ID);
    expect(read()).toBe(cleaned);
  });

  it('all lines were written again, with one more among them', async () => {
    await state.json('edit', ID, '--keep=1');
    const cleaned = parse(read());
    const at = cleaned.findIndex(({ message }) => message?.stopReason === 'toolUse');
    const added = say(tree ? 'repair-1' : undefined, cleaned[at].id, 'Repaired');
    cleaned.splice(at + 1, 0, added);
    writeFileSync(path, cleaned.map((line) => `${JSON.stringify(line, null, 0)} \n`).join(''));
    const { linesKept } = await state.json('restore', ID);
    expect(linesKept).toBe(1);
    const restored = parse(read());
    expect(restored.filter((line) => line.message?.content[0].text !== 'Repaired')).toEqual(lines);
    expect(restored).toHaveLength(lines.length + 1);
    expect(
      restored.indexOf(restored.find((line) => line.message?.content[0].text === 'Repaired')),
    ).toBeLessThan(restored.length - 1);
  });
});

describe('an id that is given twice', () => {
  beforeEach(() => start(true));

  it.each([
    ['of a line that is there', () => lines[1].id],
    ['of a removed call', () => lines.find(({ message }) => message?.stopReason === 'toolUse').id],
    ['of a removed result', () => lines.find(({ message }) => message?.role === 'toolResult').id],
  ])('%s: what was said up to there is kept', async (_, oldId) => {
    await state.json('edit', ID, '--keep=0');
    const leaf = parse(read()).at(-1).id;
    const said = formatLines([
      say('new1', leaf, 'First'),
      say(oldId(), 'new1', 'Second'),
      say('new3', 'new1', 'Third'),
    ]);
    appendFileSync(path, said);
    forget();
    const { linesKept } = await state.json('restore', ID, '--force');
    expect(read()).toBe(original + said);
    expect(linesKept).toBe(3);
  });
});
