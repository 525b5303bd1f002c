/** Files of OpenClaw whose lines move the leaf, stand beside the conversation or begin it afresh. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { contextOf } from '../../src/transcript/context/context.ts';
import { LineSplitter } from '../../src/transcript/lines.ts';
import { planRelinking } from '../../src/transcript/rewrite/relink.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { activePath, leafOf } from '../../src/transcript/tree/tree.ts';
import { arbitrarySession } from '../openclaw-db/setup/arbitrary-session.ts';
import { readPlace, scanTree } from '../openclaw-db/setup/reference-tree.ts';

const HEADER = { type: 'session', version: 4, id: 's', timestamp: '2026-11-15T18:29:08.365Z', cwd: '/w' };

function read(lines: readonly object[], rules?: 'openclaw'): Transcript {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  splitter.finish();
  return builder.finish(splitter.offset, rules);
}

type Link = string | null | undefined;
const say = (id: string, parentId: Link, more: object = {}) => ({
  type: 'message',
  id,
  parentId,
  ...more,
  message: { role: 'user', content: `text of ${id}` },
});
const call = (id: string, parentId: Link, callId: string) => ({
  ...say(id, parentId),
  message: {
    role: 'assistant',
    content: [{ type: 'toolCall', id: callId, name: 'read', arguments: { path: 'a' } }],
  },
});
const result = (id: string, parentId: Link, callId: string) => ({
  ...say(id, parentId),
  message: { role: 'toolResult', toolCallId: callId, toolName: 'read', content: [], isError: false },
});
const leaf = (id: string, targetId: string | null, more: object = {}) => ({
  type: 'leaf',
  id,
  parentId: null,
  targetId,
  ...more,
});
const reset = (id: string, parentId: Link, firstKeptEntryId?: string) => ({
  type: 'reset',
  id,
  parentId,
  reason: 'daily',
  firstKeptEntryId,
});

const idsOf = (transcript: Transcript, indices: readonly number[]) =>
  indices.map((index) => transcript.idOf(index));
const pathOf = (lines: readonly object[], rules?: 'openclaw') => {
  const transcript = read([HEADER, ...lines], rules);
  return idsOf(transcript, activePath(transcript).entries).join(' ');
};
const ABC = [say('a', null), say('b', 'a'), say('c', 'b')];

describe('a line that moves the leaf', () => {
  test('ends the conversation there, and what comes next goes on from there', () => {
    expect(pathOf([...ABC, leaf('l', 'a')])).toBe('a');
    expect(pathOf([...ABC, leaf('l', 'a'), say('d', 'a')])).toBe('a d');
    expect(pathOf([...ABC, leaf('l', 'a'), say('d', 'l')])).toBe('a d');
    expect(pathOf([...ABC, leaf('l', 'a'), say('d', undefined)])).toBe('a d');
  });

  test('may move it to the very beginning: then nothing was said', () => {
    const transcript = read([HEADER, ...ABC, leaf('l', null)]);
    expect(activePath(transcript).entries).toEqual([]);
    expect(transcript.appendParentId).toBe(null);
    expect(pathOf([...ABC, leaf('l', null), say('d', null)])).toBe('d');
  });

  test('may say that the next entry names another one', () => {
    const lines = [...ABC, leaf('l', 'a', { appendParentId: 'c' })];
    expect(read([HEADER, ...lines]).appendParentId).toBe('c');
    expect(pathOf([...lines, say('d', 'c')])).toBe('a d');
    expect(pathOf([...lines, say('d', 'b')])).toBe('a b d');
  });

  test('counts for nothing where its target is not there, or is a line that counted for nothing', () => {
    for (const odd of [leaf('l', 'nowhere'), leaf('l', 'a', { appendParentId: 'nowhere' })]) {
      const transcript = read([HEADER, ...ABC, odd]);
      expect(transcript.tree).toMatchObject({ hasLeafControl: false, hasInvalidLeafControl: true });
      expect(pathOf([...ABC, odd])).toBe('a b c');
      expect(pathOf([...ABC, odd, leaf('m', 'l')])).toBe('a b c');
    }
  });

  test('is no entry of the conversation, wherever the walk passes it', () => {
    expect(pathOf([...ABC, leaf('l', 'b'), leaf('m', 'l'), say('d', 'm')])).toBe('a b d');
  });
});

describe('a side entry', () => {
  const side = { type: 'session_info', id: 'x', parentId: 'c', appendMode: 'side', name: 'n' };

  test('does not become the leaf, and what names it goes on from the leaf', () => {
    expect(pathOf([...ABC, side])).toBe('a b c');
    expect(read([HEADER, ...ABC, side]).appendParentId).toBe('x');
    expect(pathOf([...ABC, side, say('d', 'x')])).toBe('a b c d');
  });

  test('an entry of a type that is not known does not either', () => {
    const unknown = { type: 'hologram', id: 'x', parentId: 'c' };
    expect(pathOf([...ABC, unknown, say('d', 'x')], 'openclaw')).toBe('a b c d');
  });
});

describe('a reset', () => {
  test('nothing hangs from what was before it', () => {
    expect(pathOf([...ABC, reset('r', 'c'), say('d', 'b')])).toBe('a b c r d');
    expect(pathOf([...ABC, reset('r', 'c'), say('d', 'r'), say('e', null)])).toBe('a b c r d e');
    expect(pathOf([...ABC, reset('r', 'c'), say('d', 'r'), leaf('l', 'a')])).toBe('a b c r d');
    expect(pathOf([...ABC, reset('r', 'c'), say('d', 'r'), say('e', 'd'), leaf('l', 'd')])).toBe('a b c r d');
  });

  test('gives the model what comes after it, and what it kept', () => {
    const contextOfLines = (...lines: object[]) => {
      const transcript = read([HEADER, ...lines]);
      return idsOf(transcript, contextOf(transcript, activePath(transcript).entries).entries).join(' ');
    };
    const before = [say('a', null), call('b', 'a', 'one'), result('c', 'b', 'one'), say('d', 'c')];
    expect(contextOfLines(...before, reset('r', 'd'), say('e', 'r'))).toBe('e');
    expect(contextOfLines(...before, reset('r', 'd', 'b'), say('e', 'r'))).toBe('b c d e');
    // A result whose call was not kept says nothing.
    expect(contextOfLines(...before, reset('r', 'd', 'c'), say('e', 'r'))).toBe('d e');
    expect(contextOfLines(...before, reset('r', 'd', 'nowhere'), say('e', 'r'))).toBe('e');
  });
});

describe('other links', () => {
  test('a parent that is not there is the leaf, where there is one', () => {
    expect(pathOf([...ABC, say('d', 'nowhere')], 'openclaw')).toBe('a b c d');
    expect(pathOf([say('a', 'nowhere'), say('b', 'a')], 'openclaw')).toBe('a b');
  });

  test('in a file without a line of OpenClaw alone they are read as pi reads them', () => {
    const transcript = read([HEADER, ...ABC, say('d', 'nowhere')]);
    expect(transcript.tree).toBeUndefined();
    expect(activePath(transcript)).toEqual({ entries: [4], brokenAt: 4 });
  });

  test('a new root begins another tree', () => {
    expect(pathOf([...ABC, say('d', null)], 'openclaw')).toBe('d');
  });
});

test('the path is the one that OpenClaw finds, whatever the lines', HUNT, () => {
  fc.assert(
    fc.property(arbitrarySession, (events) => {
      const transcript = read(events, 'openclaw');
      const { path, appendParent } = scanTree(events.map((event, seq) => ({ seq, place: readPlace(event) })));
      if (path.length > 0) expect(activePath(transcript).entries).toEqual(path);
      expect(transcript.appendParentId).toBe(appendParent);
    }),
    cases({ gate: 80, torture: 2000, seed: 11 }),
  );
});

describe('relinking', () => {
  const gone = (transcript: Transcript, ...ids: string[]) => {
    const plan = planRelinking(transcript, (index) => ids.includes(transcript.idOf(index) ?? ''));
    const named = <T>(map: ReadonlyMap<number, T>) =>
      Object.fromEntries([...map].map(([index, value]) => [transcript.idOf(index), value]));
    return {
      parents: named(plan.parents),
      targets: named(plan.targets),
      appendParents: named(plan.appendParents),
    };
  };

  test('a line that moves the leaf to what goes moves it to what that hung from', () => {
    const lines = [...ABC, say('d', 'c'), leaf('l', 'c', { appendParentId: 'd' })];
    expect(gone(read([HEADER, ...lines]), 'c', 'd')).toMatchObject({
      targets: { l: 'b' },
      appendParents: { l: 'b' },
    });
    const root = gone(read([HEADER, say('a', null), leaf('l', 'a'), say('b', 'a')]), 'a');
    expect(root).toMatchObject({ parents: { b: null }, targets: { l: null }, appendParents: { l: null } });
  });

  test('what a reset kept begins with the next entry that stays', () => {
    const lines = [...ABC, reset('r', 'c', 'b'), say('d', 'r')];
    expect(gone(read([HEADER, ...lines]), 'b')).toMatchObject({ parents: { c: 'a' }, targets: { r: 'c' } });
    expect(gone(read([HEADER, ...lines]), 'b', 'c')).toMatchObject({
      parents: { r: 'a' },
      targets: { r: 'r' },
    });
  });

  test('an entry that names one that goes, but hangs from another, names that one', () => {
    const side = { type: 'session_info', id: 'x', parentId: 'c', appendMode: 'side', name: 'n' };
    const transcript = read([HEADER, ...ABC, side, say('d', 'x')]);
    expect(leafOf(transcript)).toBe(5);
    expect(gone(transcript, 'x')).toMatchObject({ parents: { d: 'c' } });
  });
});
