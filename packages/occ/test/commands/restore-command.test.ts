import { appendFileSync, existsSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { createSessionWithTurns } from '../setup/sessions.ts';
import { takeFileSnapshot } from './snapshot.ts';
import { ID, makeStateFolder, type StateFolder, thirtyTurns } from './state-folder.ts';

let state: StateFolder;
let path: string;
let original: string;
beforeEach(() => {
  state = makeStateFolder();
  path = state.add(thirtyTurns({ tree: true }));
  original = read();
});

const read = (file = path) => readFileSync(file, 'utf8');
const backup = (number: number) => join(state.sessions, 'backups', `${ID}.backup.${number}.jsonl`);

let turns = 0;
/** What an agent appends: a turn with a call, hanging from the last line. Returns its text. */
function talk(): string {
  turns++;
  const parent = /"id":"([^"]+)"[^\n]*\n$/.exec(read())?.[1] ?? null;
  const said = createSessionWithTurns(1, 1, { tree: true, resultLength: 700 })
    .slice(1)
    .map((line, index, all) => ({
      ...line,
      id: `${turns}-${line.id}`,
      parentId: index === 0 ? parent : `${turns}-${all[index - 1]!.id}`,
    }))
    .map((line) => `${JSON.stringify(line).replaceAll('call_0_0', `call-${turns}`)}\n`)
    .join('');
  appendFileSync(path, said);
  return said;
}

describe('occ restore', () => {
  it('TC-6.3a recovers the session from its newest backup', async () => {
    await state.json('edit', ID, '--strip-tools=extreme');
    const cleaned = read();
    expect(cleaned).not.toBe(original);
    const result = await state.json('restore', ID);
    expect(read()).toBe(original);
    expect(result).toEqual({
      success: true,
      mode: 'restore',
      sessionId: ID,
      foundBy: 'argument',
      sessionKey: `agent:main:test:${ID}`,
      agentId: 'main',
      restoredFrom: backup(1),
      backupPath: backup(2),
      linesKept: 0,
      sizeBefore: cleaned.length,
      sizeAfter: original.length,
      context: {
        messages: expect.any(Number),
        toolCalls: 30,
        toolResults: 30,
        tokens: expect.any(Number),
        basis: 'estimated',
        toolCallsLeft: 0,
        complete: true,
      },
    });
    expect(read(backup(2))).toBe(cleaned);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('TC-6.4a says so when there is no backup', async () => {
    expect(await state.refused('restore', ID)).toEqual({
      code: 'RESTORE_FAILED',
      message: `No backup found for session '${ID}'`,
      hint: 'The session has not been edited',
    });
    const { code, stdout, stderr } = await state.occ('restore', ID);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`Error: No backup found for session '${ID}'\n  The session has not been edited\n`);
    expect(read()).toBe(original);
  });

  it('is reported to people with the command that undoes it', async () => {
    await state.json('edit', ID, '--strip-tools');
    talk();
    const { stdout } = await state.occ('restore', ID);
    expect(stdout).toContain(`✓ Session restored: ${ID}\n`);
    expect(stdout).toContain(`  From: ~/.openclaw/agents/main/sessions/backups/${ID}.backup.1.jsonl\n`);
    expect(stdout).toContain('  Added since the backup: 4 lines, kept');
    expect(stdout).toContain(`  Undo: occ restore ${ID}\n`);
  });

  it('without a name takes the most recently active session', async () => {
    await state.json('edit', '--strip-tools');
    expect(await state.json('restore')).toMatchObject({ sessionId: ID });
    expect(read()).toBe(original);
  });
});

describe('what was said since', () => {
  it('follows the restored lines', async () => {
    await state.json('edit', ID, '--strip-tools');
    const said = talk();
    expect(await state.json('restore', ID)).toMatchObject({ linesKept: 4 });
    expect(read()).toBe(original + said);
  });

  it('two edits back it is whole, also what the second edit cleaned', async () => {
    await state.json('edit', ID, '--strip-tools');
    const between = talk();
    await state.json('edit', ID, '--strip-tools=extreme');
    expect(read()).not.toContain(between);
    const after = talk();
    expect(await state.json('restore', ID, '--backup', '1')).toMatchObject({
      restoredFrom: backup(1),
      backupPath: backup(3),
      linesKept: 8,
    });
    expect(read()).toBe(original + between + after);
  });

  it('through edits, a restore and its undo, every line is there once and as it was said', LONG, async () => {
    const said: string[] = [];
    await state.json('edit', ID, '--keep', '15');
    said.push(talk());
    await state.json('edit', ID, '--keep', '5');
    said.push(talk());
    await state.json('restore', ID);
    said.push(talk());
    await state.json('restore', ID);
    said.push(talk());
    await state.json('edit', ID, '--keep', '0');
    said.push(talk());
    await state.json('restore', ID, '--backup', '1');
    expect(read()).toBe(original + said.join(''));
  });

  it('a restore is undone by the next, and that by the one after', LONG, async () => {
    await state.json('edit', ID, '--strip-tools');
    const cleaned = read();
    await state.json('restore', ID);
    expect(await state.json('restore', ID)).toMatchObject({ restoredFrom: backup(2), backupPath: backup(3) });
    expect(read()).toBe(cleaned);
    const said = talk();
    await state.json('restore', ID);
    expect(read()).toBe(original + said);
  });
});

describe('after another program rewrote the session', () => {
  /** As a program does that reads all lines and writes them again. */
  const respell = (text: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `${JSON.stringify(JSON.parse(line), null, 1).replaceAll(/\n */g, ' ')}\n`)
      .join('');

  it('what came after the last line that both have follows the backup', async () => {
    await state.json('edit', ID, '--strip-tools');
    writeFileSync(path, respell(read()));
    const said = talk();
    expect(await state.json('restore', ID)).toMatchObject({ linesKept: 4 });
    expect(read()).toBe(original + said);
  });

  it('lines that it left out are there again', async () => {
    await state.json('edit', ID, '--strip-tools');
    const lines = read().split('\n');
    const [header, ...rest] = lines;
    writeFileSync(path, [header, ...rest.slice(40)].join('\n'));
    const said = talk();
    await state.json('restore', ID);
    expect(read()).toBe(original + said);
  });

  it('with nothing in common nothing is changed', async () => {
    await state.json('edit', ID, '--strip-tools');
    const foreign = createSessionWithTurns(2, 1, { tree: true, sessionId: ID }).map(
      (line) => `${JSON.stringify(line).replaceAll(/"(0000000\d)"/g, '"ff-$1"')}\n`,
    );
    writeFileSync(path, foreign.join(''));
    const before = takeFileSnapshot(state.sessions);
    const error = await state.refused('restore', ID);
    expect(error).toEqual({
      code: 'RESTORE_FAILED',
      message: `${path} has no line in common with the backup ${backup(1)}`,
      hint: expect.stringContaining('Nothing was changed'),
    });
    expect(takeFileSnapshot(state.sessions)).toEqual(before);
  });

  it.each([
    ['is gone', (journal: string) => unlinkSync(journal)],
    ['is torn', (journal: string) => writeFileSync(journal, read(journal).slice(0, 40))],
    ["is another program's", (journal: string) => writeFileSync(journal, '[1, {"rewrites": 7}]')],
  ])('or where the record of edits %s', LONG, async (_, spoil) => {
    await state.json('edit', ID, '--strip-tools');
    const said = talk();
    spoil(join(state.sessions, 'backups', `${ID}.occ.json`));
    await state.json('restore', ID);
    expect(read()).toBe(original + said);
    expect(existsSync(backup(2))).toBe(true);
  });
});

describe('backups', () => {
  const kept = () =>
    state
      .names()
      .filter((name) => name.includes('.backup.'))
      .map((name) => basename(name));
  const names = (...numbers: number[]) => numbers.map((number) => basename(backup(number)));

  it('are listed newest first, with what they were made before', async () => {
    await state.json('edit', ID, '--strip-tools');
    await state.json('restore', ID);
    const sizes = [1, 2].map((number) => statSync(backup(number)).size);
    const listed = await state.json('restore', ID, '--list');
    expect(listed).toEqual([
      {
        number: 2,
        path: backup(2),
        sizeBytes: sizes[1],
        createdAt: expect.any(Number),
        madeBefore: 'restore',
      },
      { number: 1, path: backup(1), sizeBytes: sizes[0], createdAt: expect.any(Number), madeBefore: 'edit' },
    ]);
    for (const { createdAt } of listed) expect(createdAt).toBe(Math.floor(createdAt));
    const { stdout } = await state.occ('restore', ID, '--list');
    expect(stdout).toMatch(/#2 .*before a restore[\s\S]*#1 .*before an edit/);
  });

  it('of a number that is not there: refused, and those that are there are named', async () => {
    await state.json('edit', ID, '--strip-tools');
    expect(await state.refused('restore', ID, '--backup', '7')).toMatchObject({
      code: 'RESTORE_FAILED',
      message: `Session '${ID}' has no backup 7`,
      hint: expect.stringContaining('Its backups: 1'),
    });
  });

  it('never change their bytes and go one by one when there are more than five', async () => {
    const bytes = new Map<string, string>();
    for (let edit = 1; edit <= 7; edit++) {
      talk();
      bytes.set(basename(backup(edit)), read());
      await state.json('edit', ID, '--keep', String(8 - edit));
      for (const name of kept())
        expect(read(join(state.sessions, 'backups', name)), name).toBe(bytes.get(name));
    }
    expect(kept()).toEqual(names(3, 4, 5, 6, 7));
  });

  it('taken away by hand, their numbers are not used again', async () => {
    for (const keep of ['20', '15', '10']) await state.json('edit', ID, '--keep', keep);
    for (const number of [2, 3]) unlinkSync(backup(number));
    expect(await state.json('edit', ID, '--keep', '5')).toMatchObject({ backupPath: backup(4) });
    expect(kept()).toEqual(names(1, 4));
    for (const number of [1, 4]) unlinkSync(backup(number));
    expect(await state.refused('restore', ID)).toMatchObject({ code: 'RESTORE_FAILED' });
    expect(await state.json('edit', ID, '--keep', '2')).toMatchObject({ backupPath: backup(5) });
  });

  it('one between is missing: what was said since still follows, as the session has it', async () => {
    await state.json('edit', ID, '--strip-tools');
    talk();
    await state.json('edit', ID, '--keep', '4');
    const said = talk();
    unlinkSync(backup(2));
    await state.json('restore', ID, '--backup', '1');
    expect(read().startsWith(original)).toBe(true);
    expect(read().endsWith(said)).toBe(true);
    expect(read().match(/"text":"Response for turn 0"/g)).toHaveLength(3);
  });

  it('are no sessions: not listed, not found by their path', async () => {
    await state.json('edit', ID, '--strip-tools');
    expect(await state.json('list')).toHaveLength(1);
    const error = await state.refused('edit', backup(1), '--strip-tools');
    expect(error).toMatchObject({ code: 'SESSION_UNSUPPORTED', hint: expect.stringContaining('--backup 1') });
  });
});
