import { describe, expect, test } from 'vitest';
import { NO_PARENT } from '../../src/transcript/transcript.ts';
import { activePath, leafOf } from '../../src/transcript/tree/tree.ts';
import { assistant, boundary, call, type Line, note, read, result, rewind, user } from './claude-lines.ts';

/** Two turns; `d` ends the second. */
const TURNS = [user('a', null), assistant('b', 'a'), user('c', 'b'), assistant('d', 'c')];

function leafIdOf(...lines: (Line | readonly Line[])[]): string | undefined {
  const transcript = read(lines.flat());
  const leaf = leafOf(transcript);
  return leaf === NO_PARENT ? undefined : transcript.idOf(leaf);
}

describe('the leaf of a conversation of Claude Code', () => {
  test('at its last line, whatever a note names on the way there', () => {
    expect(leafIdOf(TURNS)).toBe('d');
    expect(leafIdOf(TURNS, note('d'))).toBe('d');
    expect(leafIdOf(TURNS, note('b'))).toBe('d');
    expect(leafIdOf(TURNS, note())).toBe('d');
    expect(leafIdOf(TURNS, note(null))).toBe('d');
    expect(leafIdOf(TURNS, note('nowhere'))).toBe('d');
  });

  test('where it was rewound to, while nothing was said since', () => {
    expect(leafIdOf(TURNS, note('d'), rewind('b'))).toBe('b');
    const transcript = read([...TURNS, rewind('b')]);
    expect(activePath(transcript).entries).toEqual([0, 1]);
  });

  test('notes that name no line leave a rewind as it is, and so does one that repeats it', () => {
    expect(leafIdOf(TURNS, rewind('b'), note())).toBe('b');
    expect(leafIdOf(TURNS, rewind('b'), note(null))).toBe('b');
    expect(leafIdOf(TURNS, rewind('b'), note('b'))).toBe('b');
    expect(leafIdOf(TURNS, rewind('b'), { type: 'summary', summary: 's', leafUuid: 'd' })).toBe('b');
  });

  test('a note of another line takes a rewind back', () => {
    expect(leafIdOf(TURNS, rewind('b'), note('c'))).toBe('d');
    expect(leafIdOf(TURNS, rewind('b'), note('c'), note('b'))).toBe('d');
    expect(leafIdOf(TURNS, rewind('b'), rewind('c'))).toBe('c');
  });

  test('a line that follows takes a rewind back, unless it is written beside the conversation', () => {
    expect(leafIdOf(TURNS, rewind('b'), user('e', 'b'))).toBe('e');
    expect(leafIdOf(TURNS, rewind('b'), user('e', 'd'))).toBe('e');
    expect(leafIdOf(TURNS, rewind('b'), user('e', 'd', 'x', { isSidechain: true }))).toBe('b');
    const snapshot = { type: 'system', subtype: 'file_snapshot', uuid: 'e', parentUuid: 'd' };
    expect(leafIdOf(TURNS, rewind('b'), snapshot)).toBe('b');
  });

  test('a rewind to a line that is not there is forgotten', () => {
    expect(leafIdOf(TURNS, rewind('nowhere'))).toBe('d');
  });

  test('nowhere, after a rewind to the very beginning', () => {
    expect(leafIdOf(TURNS, rewind(null))).toBeUndefined();
    expect(activePath(read([...TURNS, rewind(null)])).entries).toEqual([]);
    expect(leafIdOf(TURNS, rewind(null), note())).toBeUndefined();
    expect(leafIdOf(TURNS, rewind(null), note('b'))).toBe('d');
    expect(leafIdOf(TURNS, note('d'), rewind(null), user('e', null))).toBe('e');
  });

  test('on the branch of the last note, where another one was written to since', () => {
    const branch = [user('e', 'b'), assistant('f', 'e')];
    expect(leafIdOf(TURNS, branch)).toBe('f');
    expect(leafIdOf(TURNS, note('d'), branch)).toBe('d');
    expect(leafIdOf(TURNS, branch, note('d'))).toBe('d');
    expect(leafIdOf(TURNS, note('d'), branch, note('f'))).toBe('f');
    expect(leafIdOf(TURNS, branch, rewind('f'), user('g', 'd'))).toBe('f');
    expect(leafIdOf(TURNS, note('d'), rewind(null), branch)).toBe('f');
  });

  test('calls that ran side by side are no branches', () => {
    const parallel = [
      user('a', null),
      ...[call('c1', 'a', 'm'), call('c2', 'c1', 'm')],
      ...[result('r2', 'c2'), result('r1', 'c1')],
      assistant('e', 'r2'),
    ];
    expect(leafIdOf(parallel, note('r1'))).toBe('e');
    expect(leafIdOf(parallel, rewind('r1'))).toBe('r1');
    const { entries } = activePath(read([...parallel, rewind('r1')]));
    expect(entries).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('the leaf after a compaction', () => {
  const kept = { preservedMessages: { anchorUuid: 's', uuids: ['c', 'd'], allUuids: ['c', 'd'] } };
  const compact = (metadata: Line = {}) => [boundary('x', 'd', metadata), user('s', 'x'), user('e', 's')];

  test('a note from before it says nothing', () => {
    expect(leafIdOf(TURNS, note('b'), compact())).toBe('e');
    expect(leafIdOf(TURNS, note('b'), compact(kept))).toBe('e');
  });

  test('a note behind it leads back, where the compaction kept nothing', () => {
    expect(leafIdOf(TURNS, compact(), note('b'))).toBe('b');
    expect(leafIdOf(TURNS, compact(), rewind('b'))).toBe('b');
    expect(leafIdOf(TURNS, compact(), note('b'), user('f', 'b'))).toBe('f');
  });

  test('where it kept messages, only those can be reached', () => {
    expect(leafIdOf(TURNS, compact(kept), rewind('d'))).toBe('d');
    expect(leafIdOf(TURNS, compact(kept), note('d'))).toBe('e');
    expect(leafIdOf(TURNS, compact(kept), rewind('b'))).toBe('e');
    expect(leafIdOf(TURNS, compact(kept), note('b'))).toBe('e');
    const none = { preservedMessages: { anchorUuid: 's', uuids: [], allUuids: [] } };
    expect(leafIdOf(TURNS, compact(none), rewind('d'))).toBe('e');
    expect(leafIdOf(TURNS, compact(kept), boundary('y', 'e'), user('t', 'y'), rewind('d'))).toBe('t');
  });

  test('a list with a name too many keeps nothing, and all can be reached', () => {
    const broken = { preservedMessages: { anchorUuid: 's', uuids: ['c', 'nowhere'], allUuids: [] } };
    expect(leafIdOf(TURNS, compact(broken), rewind('b'))).toBe('b');
  });
});
