/** Generated sessions of every shape, cleaned: nothing but what was to go is gone, and OpenClaw would find no fault. */
import { readFileSync, rmSync } from 'node:fs';
import { activePath } from '@openbot/sessions';
import { contextOf, TranscriptBuilder } from '@openbot/sessions/transcript';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counted, HUNT, LONG } from '../../../../test/setup/hunt.ts';
import { arbitraryOddSession } from '../../../sessions/test/openclaw-db/setup/arbitrary-odd-session.ts';
import {
  arbitrarySession,
  arbitrarySessionOf,
} from '../../../sessions/test/openclaw-db/setup/arbitrary-session.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { type DatabaseHome, type Json, makeHome } from './database-home.ts';
import { readAsFile, readLinesOf, readMarksOf, readPathOf, readRowsOf } from './look-into.ts';

const runs = counted({ gate: 5, torture: 60, seed: 23 });

interface Found {
  readonly path: number[];
  readonly lines: Map<number, Json>;
  readonly leaf: string | null;
  /** Ids of calls on the path that have their result there, and what was said there. */
  readonly answered: Set<string>;
  readonly calls: Set<string>;
  readonly results: Set<string>;
  readonly texts: string[];
  /** What the model is given, as sequence numbers. */
  readonly context: number[];
}

function readContext(stored: ReturnType<typeof readLinesOf>): number[] {
  const builder = new TranscriptBuilder('openclaw');
  let offset = 0;
  for (const { text } of stored) {
    const bytes = Buffer.from(text);
    builder.line(bytes, 0, bytes.length, offset, true);
    offset += bytes.length + 1;
  }
  const transcript = builder.finish(offset, 'openclaw');
  return contextOf(transcript, activePath(transcript).entries).entries.map((index) => stored[index]!.seq);
}

function look(home: DatabaseHome, sessionId: string): Found {
  const stored = readLinesOf(home.path, sessionId);
  const lines = new Map<number, Json>(stored.map(({ seq, text }) => [seq, JSON.parse(text)]));
  const path = readPathOf(home.path, sessionId);
  const calls = new Set<string>();
  const results = new Set<string>();
  const texts: string[] = [];
  for (const seq of path) {
    const { message } = lines.get(seq);
    if (message?.role === 'toolResult') results.add(message.toolCallId);
    else if (typeof message?.content === 'string') texts.push(message.content);
    else if (Array.isArray(message?.content)) {
      for (const block of message.content) {
        if (block.type === 'toolCall') calls.add(block.id);
        if (block.type === 'text') texts.push(block.text);
      }
    }
  }
  const answered = new Set([...calls].filter((id) => results.has(id)));
  const { leaf } = readMarksOf(home.path, sessionId);
  return { path, lines, leaf, answered, calls, results, texts, context: readContext(stored) };
}

const TARGETS: Readonly<Record<string, readonly string[]>> = {
  leaf: ['targetId', 'appendParentId'],
  label: ['targetId'],
  compaction: ['firstKeptEntryId'],
  reset: ['firstKeptEntryId'],
  branch_summary: ['fromId'],
};

/** What named an entry that was there names one that is there. */
function expectTargets(before: Found, after: Found): void {
  const idsIn = ({ lines }: Found) => new Set([...lines.values()].map(({ id }) => id));
  const [were, are] = [idsIn(before), idsIn(after)];
  for (const [seq, event] of after.lines) {
    for (const name of ['parentId', ...(TARGETS[event.type] ?? [])]) {
      const [old, now] = [before.lines.get(seq)[name], event[name]];
      if (old === now || old === undefined) expect(now, `${name} of ${seq}`).toBe(old);
      if (typeof now === 'string' && were.has(old)) expect(are.has(now), `${name} of ${seq}`).toBe(true);
    }
  }
}

type Outcome = 'changed' | 'unchanged' | 'refused';

interface Drawn {
  readonly sessions: readonly object[][];
  readonly chosen: number;
  readonly keep: number;
  readonly truncate: number;
}

async function editOne({ sessions, chosen, keep, truncate }: Drawn): Promise<Outcome> {
  const home = makeHome(
    sessions.map((events, number) => ({
      key: `agent:main:s${number}`,
      sessionId: `00000000-0000-4000-8000-00000000000${number}`,
      events,
      entry: { totalTokens: 100_000, totalTokensFresh: true },
    })),
  );
  try {
    const { sessionId } = home.made[chosen % sessions.length]!;
    const others = home.made.filter((made) => made.sessionId !== sessionId);
    const readOthers = () => others.map((made) => readRowsOf(home.path, made.sessionId, made.key));
    const bytes = readFileSync(home.path);
    const before = look(home, sessionId);
    const file = readAsFile(home.path, sessionId);
    const untouched = readOthers();
    const args = ['edit', sessionId, '--keep', String(keep), '--truncate', String(truncate), '--json'];
    const { code, stdout, stderr } = await home.occ(...args);
    if (code !== 0) {
      const { error } = JSON.parse(stderr);
      expect(error.code, stderr).toBe('SESSION_UNSUPPORTED');
      expect(error.message).toMatch(/cannot be changed: .{10}/);
      expect(readFileSync(home.path).equals(bytes)).toBe(true);
      expect(home.backups(sessionId)).toEqual({});
      return 'refused';
    }
    const done = JSON.parse(stdout);
    expect(findDatabaseFaults(home.path)).toEqual([]);
    expect(readOthers()).toEqual(untouched);
    if (!done.changed) {
      expect(readFileSync(home.path).equals(bytes)).toBe(true);
      return 'unchanged';
    }
    const after = look(home, sessionId);
    expect(after.path).toEqual(before.path.filter((seq) => after.lines.has(seq)));
    expect(after.leaf).toBe(before.leaf);
    expect(after.texts).toEqual(before.texts);
    expect(after.context).toEqual(before.context.filter((seq) => after.lines.has(seq)));
    for (const seq of before.lines.keys())
      expect(after.lines.has(seq) || before.path.includes(seq), `line ${seq} of a branch`).toBe(true);
    expectTargets(before, after);
    for (const [seq, { id, type }] of after.lines) expect(before.lines.get(seq)).toMatchObject({ id, type });
    for (const id of after.calls) expect(after.results.has(id)).toBe(before.answered.has(id));
    for (const id of after.results) expect(after.calls.has(id)).toBe(before.calls.has(id));
    expect(home.backups(sessionId)).toEqual({ 1: file });
    const again = JSON.parse((await home.occ(...args)).stdout);
    expect(again.changed).toBe(false);
    return 'changed';
  } finally {
    rmSync(home.folder, { recursive: true });
  }
}

function drawnOf(session: fc.Arbitrary<object[]>): fc.Arbitrary<Drawn> {
  return fc.record({
    sessions: fc.array(session, { minLength: 1, maxLength: 3 }),
    chosen: fc.nat({ max: 2 }),
    keep: fc.constantFrom(0, 0, 1, 2, 5),
    truncate: fc.constantFrom(0, 50, 100),
  });
}

async function count(session: fc.Arbitrary<object[]>): Promise<Record<Outcome, number>> {
  const counts = { changed: 0, unchanged: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(drawnOf(session), async (drawn) => {
      counts[await editOne(drawn)]++;
    }),
    runs,
  );
  return counts;
}

test(
  'sessions as OpenClaw writes them are never refused, and many have something to clean',
  HUNT,
  async () => {
    const kinds = [
      'branch',
      'reset',
      'compaction',
      'leaf',
      'parkedLeaf',
      'side',
      'unlinked',
      'label',
    ] as const;
    const more = ['branchSummary', 'customMessage', 'unanswered', 'excluded', 'cacheTtl', 'user'] as const;
    const { changed, refused } = await count(arbitrarySessionOf([...kinds, ...more]));
    expect(refused).toBe(0);
    expect(changed).toBeGreaterThan(runs.numRuns / 3);
  },
);

test(
  'those with links that lead nowhere and unknown lines too are cleaned well, or refused with the reason',
  HUNT,
  async () => {
    const { changed, refused } = await count(arbitrarySession);
    expect(refused).toBeLessThan(runs.numRuns / 10);
    expect(changed).toBeGreaterThan(runs.numRuns / 3);
  },
);

/** OpenClaw never writes a second message with the key of another. */
const withoutKey = (event: Json) =>
  typeof event.message === 'object' && event.message !== null && !Array.isArray(event.message)
    ? { ...event, message: { ...event.message, idempotencyKey: undefined } }
    : event;

test('those that no program should write are refused with the reason, or cleaned well', LONG, async () => {
  const odd = fc
    .tuple(arbitrarySessionOf(['turn', 'calls']), arbitraryOddSession)
    .map(([ordinary, events]) => [...ordinary, ...events.map(withoutKey)]);
  const { changed, refused } = await count(odd);
  expect(changed).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
});
