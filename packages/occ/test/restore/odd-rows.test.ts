/** Rows of OpenClaw's database that OpenClaw would not write: an edit is undone, or refused before anything is changed. */
import { describe, expect, it } from 'vitest';
import { makeHome } from '../session-db/database-home.ts';
import { changeDatabase, lookInto, readLinesOf } from '../session-db/look-into.ts';
import { ID, KEY, makeEvents, type TalkingHome, talkIn } from '../session-db/talking-home.ts';
import { renumber } from './renumber.ts';

function makeOddHome(events: Iterable<object> = makeEvents(), ...statements: string[]): TalkingHome {
  const session = { key: KEY, sessionId: ID, events, compress: false, createdAt: 1_794_767_348_365 };
  const home = talkIn(makeHome([session]));
  changeDatabase(home.path, 'PRAGMA foreign_keys = OFF', ...statements);
  return home;
}

const seqsOf = ({ path }: TalkingHome) => readLinesOf(path, ID).map(({ seq }) => seq);

/** The lines in bytes, which a string could not hold. */
function readBytes({ path }: TalkingHome): string[] {
  return lookInto(path, (database) =>
    database
      .prepare('SELECT hex(CAST(event_json AS BLOB)) AS bytes FROM transcript_events ORDER BY seq')
      .all()
      .map(({ bytes }) => String(bytes)),
  );
}

describe('an edit is undone', () => {
  it.each([
    ['from -1 on', renumber(0, 0, '- 1')],
    ['from below -1 on', renumber(0, 7, '- 500')],
    ['from the lowest number on', renumber(0, 3, '- 9007199254740991')],
    ['up to the highest number', renumber(0, 100, '+ 9007199254740991 - 60')],
  ])('of lines that are numbered %s', async (_, statements) => {
    const home = makeOddHome(makeEvents(), ...statements);
    const [before, seqs] = [home.file(), seqsOf(home)];
    await home.edit('--keep=0');
    await home.restore();
    expect(home.file()).toBe(before);
    expect(seqsOf(home)).toEqual(seqs);
  });

  it('of lines that have no room between them for what comes back', async () => {
    const home = makeOddHome();
    const before = home.file();
    await home.edit('--keep=0');
    const seqs = seqsOf(home);
    // The first line that comes back would be behind the highest number.
    changeDatabase(
      home.path,
      'PRAGMA foreign_keys = OFF',
      ...renumber(0, seqs.at(-1)!, `+ 9007199254740991 - ${seqs.at(-1)}`),
    );
    await home.restore();
    expect(home.file()).toBe(before);
  });

  it('of two lines whose ids differ in blanks alone', async () => {
    const [header, ...events] = [...makeEvents()] as { id: string; parentId: string | null }[];
    const texts = events.map((event) => JSON.stringify(event));
    const result = events[texts.findIndex((text) => text.includes('"role":"toolResult"'))]!;
    const spaced = ` ${events[0]!.id} `;
    const twins = events.map((event) => ({
      ...event,
      id: event === result ? spaced : event.id,
      parentId: event.parentId === result.id ? spaced : event.parentId,
    }));
    const home = makeOddHome([header!, ...twins]);
    const before = home.file();
    await home.edit('--keep=0');
    await home.json('restore', ID);
    expect(home.file()).toBe(before);
  });

  it.each([
    ['bytes that are no UTF-8', `x'ff'`],
    ['a number that no program holds', `CAST('","odd":12345678901234567890,"more":"' AS BLOB)`],
    ['a zero in an escape', String.raw`CAST('\u0000' AS BLOB)`],
  ])('of lines with %s', async (_, bytes) => {
    const home = makeOddHome(
      makeEvents(),
      `UPDATE transcript_events SET event_utf8_bytes = NULL, event_json = CAST(
         CAST(substr(event_json, 1, length(event_json) - 1) || ',"x":"' AS BLOB) || ${bytes} || CAST('"}' AS BLOB) AS TEXT)
       WHERE seq > 0`,
    );
    const before = readBytes(home);
    await home.edit('--keep=0');
    await home.json('restore', ID);
    expect(readBytes(home)).toEqual(before);
  });

  it('of lines with line ends between their parts, which come back as blanks', async () => {
    const home = makeOddHome(
      makeEvents(),
      `UPDATE transcript_events SET event_utf8_bytes = NULL,
         event_json = replace(event_json, '{"type"', '{' || char(10) || '"odd":12345678901234567890,"type"') || char(13)
       WHERE seq > 0`,
    );
    const blanked = () => home.file().replaceAll(/[\r\n]/g, ' ');
    const before = blanked();
    await home.edit('--keep=0');
    await home.json('restore', ID);
    expect(blanked()).toBe(before);
  });
});

describe('an edit is refused', () => {
  it.each([
    [
      'where ids are kept for other lines than theirs',
      'UPDATE transcript_events SET seq = -1 WHERE seq = 0',
      { code: 'SESSION_UNSUPPORTED', message: /OpenClaw's own record has the id '.+' for another line/ },
    ],
    [
      'where a line has a number that cannot be told from others',
      'UPDATE transcript_events SET seq = 1152921504606846976 WHERE seq = 30',
      { reason: 'DATABASE_UNREADABLE', message: /line \d+ of session '.+' has a number \(seq\) beyond \d+/ },
    ],
  ])('%s', async (_, statement, { message, ...codes }) => {
    const home = makeOddHome(makeEvents(), statement);
    const before = readBytes(home);
    const refusal = await home.refused('edit', ID, '--keep=0');
    expect(refusal).toMatchObject(codes);
    expect(refusal.message).toMatch(message);
    expect(readBytes(home)).toEqual(before);
    expect(home.backups(ID)).toEqual({});
  });
});
