import { describe, expect, test } from 'vitest';
import { openMemoryNotes, openSqliteNotes } from '../../src/channel-notes/channel-notes.ts';
import { openBotDatabase } from '../../src/database/bot-database.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const TELEGRAM = { channel: 'telegram', accountId: 'default' };
const WORK = { channel: 'telegram', accountId: 'work' };

describe.each(['memory', 'sqlite'])('notes of channels, %s', (kind) => {
  test('are kept by account and name, replaced and removed', async () => {
    const database = kind === 'sqlite' ? await openBotDatabase(makeTempFolder()) : undefined;
    const notes = database === undefined ? openMemoryNotes() : openSqliteNotes(database);
    await notes.write(TELEGRAM, 'offset', '17');
    await notes.write(WORK, 'offset', '4');
    await notes.write(TELEGRAM, 'offset', '18');
    expect(await notes.read(TELEGRAM, 'offset')).toBe('18');
    expect(await notes.read(WORK, 'offset')).toBe('4');
    expect(await notes.read(TELEGRAM, 'other')).toBeUndefined();
    await notes.write(TELEGRAM, 'offset', undefined);
    expect(await notes.read(TELEGRAM, 'offset')).toBeUndefined();
    expect(await notes.read(WORK, 'offset')).toBe('4');
    await database?.close();
  });
});

test('survive the process', async () => {
  const folder = makeTempFolder();
  const first = await openBotDatabase(folder);
  await openSqliteNotes(first).write(TELEGRAM, 'offset', '17');
  await first.close();
  const second = await openBotDatabase(folder);
  expect(await openSqliteNotes(second).read(TELEGRAM, 'offset')).toBe('17');
  await second.close();
});
