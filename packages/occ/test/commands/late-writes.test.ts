/** Lines that somebody writes to the old file after the swap, through a descriptor opened before; and kills in between. */
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { runOccWithFault } from '../setup/faults.ts';
import { pauseOcc } from '../setup/pause.ts';
import { type Child, startChild } from '../setup/start-child.ts';
import { ID, makeStateFolder, type StateFolder, thirtyTurns } from './state-folder.ts';
import { readCalls } from './told.ts';

const WRITER = new URL('./children/write-late.mjs', import.meta.url);

let state: StateFolder;
let path: string;
let original: string;
beforeEach(() => {
  state = makeStateFolder();
  path = state.add(thirtyTurns());
  original = read();
});

const read = (file = path) => readFileSync(file, 'utf8');
const backup = (number: number) => join(state.sessions, 'backups', `${ID}.backup.${number}.jsonl`);
const line = (text: string) =>
  `{"type":"message","timestamp":9,"message":{"role":"assistant","content":"${text}"}}\n`;
const count = (text: string) => read().split(text).length - 1;

/** Opens the session before the swap of an edit; the edit is over when this resolves. */
async function editWithOpenWriter(): Promise<Writer> {
  const paused = await pauseOcc(
    ['edit', ID, '--strip-tools', '--json'],
    { path, when: 'before' },
    { HOME: state.home },
  );
  const writer = await openWriter();
  expect(await paused.goOn()).toMatchObject({ code: 0, stderr: '' });
  return writer;
}

interface Writer {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

async function openWriter(): Promise<Writer> {
  const child: Child = startChild(WRITER, [path]);
  await child.said('open');
  let written = 0;
  return {
    write: async (text) => {
      child.tell(JSON.stringify(text));
      await child.said(`wrote ${++written}`);
    },
    close: async () => {
      child.process.stdin!.end();
      expect(await child.ended).toBe(0);
    },
  };
}

describe('a line written to the old file after the swap', () => {
  it('while the edit still runs is carried over by it', async () => {
    const before = await pauseOcc(
      ['edit', ID, '--strip-tools', '--json'],
      { path, when: 'after' },
      { HOME: state.home },
    );
    // By now the old file has only the name of the backup.
    appendFileSync(backup(1), line('late'));
    appendFileSync(path, line('to the new file'));
    expect(await before.goOn()).toMatchObject({ code: 0, stderr: '' });
    expect(count('"late"')).toBe(1);
    expect(count('"to the new file"')).toBe(1);
    // It was said before.
    const text = readFileSync(path, 'utf8');
    expect(text.indexOf('"late"')).toBeLessThan(text.indexOf('"to the new file"'));
    await state.json('edit', ID, '--strip-tools=extreme');
    expect(count('"late"')).toBe(1);
  });

  it.each([
    ['an edit', ['edit', ID, '--strip-tools=extreme']],
    ['an edit that finds nothing to clean', ['edit', ID, '--strip-tools']],
    ['a restore', ['restore', ID]],
  ])('after the edit is in the session after the next command, %s, and once', async (_, command) => {
    const writer = await editWithOpenWriter();
    await writer.write(line('late'));
    await writer.close();
    expect(count('"late"')).toBe(0);
    await state.json(...(command as [string]));
    expect(count('"late"')).toBe(1);
    await state.json('restore', ID);
    expect(count('"late"')).toBe(1);
    await state.json('edit', ID, '--keep', '3');
    await state.json('edit', ID, '--keep', '2');
    expect(count('"late"')).toBe(1);
    expect(read().endsWith(line('late'))).toBe(true);
  });

  it(
    'comes before what was said in the new file meanwhile, which stays last, and a restore has all of it',
    LONG,
    async () => {
      const writer = await editWithOpenWriter();
      appendFileSync(path, line('said meanwhile'));
      await writer.write(line('late one') + line('late two'));
      await writer.close();
      const cleaned = read().replace(line('said meanwhile'), '');
      const since = line('late one') + line('late two') + line('said meanwhile');
      await state.json('edit', ID, '--strip-tools');
      expect(read()).toBe(cleaned + since);
      expect(await state.json('restore', ID)).toMatchObject({ linesKept: 3 });
      expect(read()).toBe(original + since);
    },
  );

  it(
    'by a writer that never closes the file comes over each time, however many edits there were',
    LONG,
    async () => {
      const writer = await editWithOpenWriter();
      await writer.write(line('late one'));
      await state.json('edit', ID, '--keep', '10');
      await writer.write(line('late two'));
      await state.json('edit', ID, '--keep', '5');
      await writer.write(line('late three'));
      await state.json('edit', ID, '--keep', '5');
      await state.json('edit', ID, '--keep', '5');
      await writer.close();
      for (const text of ['late one', 'late two', 'late three']) expect(count(`"${text}"`), text).toBe(1);
      await state.json('restore', ID, '--backup', '1');
      expect(read()).toBe(original + line('late one') + line('late two') + line('late three'));
    },
  );

  it('is left alone while its end is not written', async () => {
    const writer = await editWithOpenWriter();
    const cleaned = read();
    await writer.write(line('late').slice(0, 30));
    await state.json('edit', ID, '--strip-tools');
    expect(read()).toBe(cleaned);
    await writer.write(line('late').slice(30));
    await writer.close();
    await state.json('edit', ID, '--strip-tools');
    expect(read()).toBe(cleaned + line('late'));
  });

  it(
    'whose beginning was there before the edit is whole in the end, and whole again after a restore',
    LONG,
    async () => {
      const [beginning, rest] = [line('in two parts').slice(0, 30), line('in two parts').slice(30)];
      appendFileSync(path, beginning);
      const writer = await editWithOpenWriter();
      await writer.write(rest + line('and more'));
      await writer.close();
      await state.json('edit', ID, '--strip-tools');
      expect(read().endsWith(`\n${line('in two parts')}${line('and more')}`)).toBe(true);
      await state.json('restore', ID);
      expect(read()).toBe(original + line('in two parts') + line('and more'));
    },
  );

  it(
    'carried over by a command that was killed before it could write that down is not doubled',
    LONG,
    async () => {
      const writer = await editWithOpenWriter();
      await writer.write(line('late'));
      await writer.close();
      const journal = join(state.sessions, 'backups', `${ID}.occ.json`);
      const killed = await runOccWithFault(
        ['edit', ID, '--strip-tools'],
        { at: 1, strike: 'kill-before', ops: ['rename'], under: journal },
        { env: { HOME: state.home } },
      );
      expect(killed.code).toBeNull();
      expect(count('"late"')).toBe(1);
      await state.json('edit', ID, '--strip-tools');
      expect(count('"late"')).toBe(1);
    },
  );
});

describe("an edit that is killed between the backup's name and the swap", () => {
  const killBeforeSwap = () =>
    runOccWithFault(
      ['edit', ID, '--strip-tools'],
      { at: 1, strike: 'kill-before', ops: ['rename'], under: path },
      { env: { HOME: state.home } },
    );

  it('leaves the session as it was; what it left goes with the next command', LONG, async () => {
    expect((await killBeforeSwap()).code).toBeNull();
    expect(read()).toBe(original);
    expect(statSync(backup(1)).ino).toBe(statSync(path).ino);
    // The name is no backup: what is written to the session is written to it too.
    expect(await state.json('restore', ID, '--list')).toEqual([]);
    expect(await state.refused('restore', ID)).toMatchObject({ code: 'RESTORE_FAILED' });
    appendFileSync(path, line('said since'));
    const result = await state.json('edit', ID, '--strip-tools');
    expect(result).toMatchObject({ changed: true, backupPath: backup(1) });
    expect(read(backup(1))).toBe(original + line('said since'));
    expect(readCalls(path)).toHaveLength(20);
    expect(state.names()).toEqual(
      [`${ID}.jsonl`, `backups/${ID}.backup.1.jsonl`, `backups/${ID}.occ.json`, 'sessions.json'].sort(),
    );
    await state.json('restore', ID);
    expect(read()).toBe(original + line('said since'));
  });

  it('after others that were not, leaves their backups and what they know of them', LONG, async () => {
    await state.json('edit', ID, '--keep', '25');
    appendFileSync(path, line('between'));
    const before = read();
    expect((await killBeforeSwap()).code).toBeNull();
    expect(read()).toBe(before);
    await state.json('restore', ID);
    expect(read()).toBe(original + line('between'));
  });
});
