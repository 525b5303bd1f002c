import { describe, expect, test } from 'vitest';
import { contextOf } from '../../src/transcript/context/context.ts';
import { planRelinking } from '../../src/transcript/rewrite/relink.ts';
import { relinkedFieldsOf } from '../../src/transcript/rewrite/relinked-fields.ts';
import { activePath } from '../../src/transcript/tree/tree.ts';
import { assistant, boundary, type Line, read, rewind, user } from './claude-lines.ts';

const OLD = [
  ...[user('a', null), assistant('b', 'a'), user('c', 'b'), assistant('d', 'c')],
  ...[user('e', 'd'), assistant('f', 'e')],
];
const NEW = [user('s', 'x', 'summary', { isCompactSummary: true }), user('g', 's'), assistant('h', 'g')];
const list = (...uuids: string[]): Line => ({
  preservedMessages: { anchorUuid: 's', uuids, allUuids: uuids },
});
const segment = (headUuid: string, tailUuid: string, anchorUuid = 's'): Line => ({
  preservedSegment: { headUuid, anchorUuid, tailUuid },
});

const compacted = (metadata: Line, ...more: Line[]) => [
  ...OLD,
  boundary('x', 'f', metadata),
  ...NEW,
  ...more,
];

/** The ids of what the model is given. */
function givenBy(lines: readonly Line[]): string {
  const transcript = read(lines);
  const context = contextOf(transcript, activePath(transcript).entries);
  return context.entries.map((index) => transcript.idOf(index)).join(' ');
}
const keptBy = (metadata: Line) => read(compacted(metadata)).preservedBy(OLD.length);

describe('what a compaction of Claude Code preserves', () => {
  test('as a list', () => {
    expect(keptBy(list('c', 'd'))).toEqual(['c', 'd']);
    expect(keptBy(list())).toEqual([]);
    expect(keptBy({})).toBeUndefined();
  });

  test('as a stretch from head to tail', () => {
    expect(keptBy(segment('c', 'f'))).toEqual(['c', 'd', 'e', 'f']);
    expect(keptBy(segment('f', 'f'))).toEqual(['f']);
  });

  test('a stretch that does not arrive keeps nothing', () => {
    expect(keptBy(segment('nowhere', 'f'))).toBeUndefined();
    expect(keptBy(segment('c', 'nowhere'))).toBeUndefined();
    expect(keptBy(segment('f', 'c'))).toBeUndefined();
  });

  test('a stretch does not lead through an older compaction', () => {
    const lines = [...compacted({}), boundary('y', 'h', segment('e', 'h', 't')), user('t', 'y')];
    expect(read(lines).preservedBy(lines.length - 2)).toBeUndefined();
    expect(givenBy(lines)).toBe('t');
  });

  test('the list counts where both are there', () => {
    expect(keptBy({ ...segment('c', 'f'), ...list('f') })).toEqual(['f']);
    expect(keptBy({ ...list(), ...segment('c', 'f') })).toEqual([]);
  });

  test('follows the summary', () => {
    expect(givenBy(compacted({}))).toBe('s g h');
    expect(givenBy(compacted(list('e', 'f')))).toBe('s e f g h');
    expect(givenBy(compacted(segment('d', 'f')))).toBe('s d e f g h');
    expect(givenBy(compacted(segment('d', 'f', 'x')))).toBe('d e f s g h');
  });

  test('is lost as a whole when one of it is missing', () => {
    expect(givenBy(compacted(list('e', 'nowhere', 'f')))).toBe('s g h');
    expect(givenBy(compacted(segment('nowhere', 'f')))).toBe('s g h');
  });

  test('ends where the conversation was rewound to', () => {
    expect(givenBy(compacted(list('c', 'd', 'e', 'f'), rewind('d')))).toBe('s c d');
    expect(givenBy(compacted(segment('c', 'f'), rewind('d')))).toBe('s c d');
    const on = [rewind('d'), user('i', 'd'), assistant('j', 'i')];
    expect(givenBy(compacted(list('c', 'd', 'e', 'f'), ...on))).toBe('s c d i j');
  });
});

describe('when lines of a stretch go', () => {
  function relinked(metadata: Line, gone: readonly string[]): unknown {
    const transcript = read(compacted(metadata));
    const isRemoved = (index: number) => gone.includes(transcript.idOf(index) ?? '');
    const relinking = planRelinking(transcript, isRemoved);
    const rewrite = relinkedFieldsOf(transcript, relinking, OLD.length, isRemoved)?.get('compactMetadata');
    const json = JSON.stringify(metadata);
    return JSON.parse(typeof rewrite === 'function' ? rewrite(json) : json);
  }

  test('its ends move', () => {
    expect(relinked(segment('c', 'f'), ['d'])).toEqual(segment('c', 'f'));
    expect(relinked(segment('c', 'f'), ['c', 'f'])).toEqual(segment('d', 'e'));
  });

  test('that nothing is left is said in the newer way, lest what was compacted comes back', () => {
    const trigger = { trigger: 'auto' };
    expect(relinked({ ...trigger, ...segment('d', 'e') }, ['d', 'e'])).toEqual({ ...trigger, ...list() });
    expect(relinked({ ...segment('d', 'e'), ...list('d', 'e') }, ['d', 'e'])).toEqual(list());
  });
});
