/** Any sequence of edits, turns and restores, against a model that knows only states and what was said after them. */
import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counted, HUNT } from '../../../../test/setup/hunt.ts';
import {
  arbitrarySessionOf,
  type StepKind,
} from '../../../sessions/test/openclaw-db/setup/arbitrary-session.ts';
import type { ComposedEvent } from '../../../sessions/test/openclaw-db/setup/compose-session.ts';
import type { Json } from './database-home.ts';
import { readLinesOf, readMarksOf, readPathOf } from './look-into.ts';
import { ID, makeTalkingHome, type TalkingHome } from './talking-home.ts';

// Shrinking runs hundreds of commands: the failing case is told as it is.
const runs = { ...counted({ gate: 4, torture: 40, seed: 41 }), endOnFailure: true };

type Step =
  | { readonly kind: 'edit'; readonly keep: number; readonly truncate: number }
  | { readonly kind: 'say' | 'compact' | 'branch' | 'restore'; readonly pick: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      keep: fc.constantFrom(0, 0, 1, 2, 3),
      truncate: fc.constantFrom(0, 50, 100),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('say', 'say', 'restore', 'restore', 'restore', 'restore', 'compact', 'branch'),
      pick: fc.nat({ max: 1000 }),
    }),
  },
);

const KINDS: readonly StepKind[] = [
  ...(['branch', 'reset', 'compaction', 'leaf', 'parkedLeaf', 'side', 'unlinked', 'label'] as const),
  ...(['branchSummary', 'customMessage', 'unanswered', 'excluded', 'cacheTtl', 'user'] as const),
];

/** What OpenClaw appends when it makes room, or when a person goes back to an older entry. */
function composeMove(home: TalkingHome, kind: 'compact' | 'branch', pick: number): object[] {
  const events = new Map(readLinesOf(home.path, ID).map(({ seq, text }) => [seq, JSON.parse(text) as Json]));
  const path = readPathOf(home.path, ID).map((seq) => events.get(seq));
  // Those that an edit removes are the ones that matter.
  const withTools = path.filter(({ message }) => message?.stopReason === 'toolUse');
  const chosen = withTools.length > 0 && pick % 3 > 0 ? withTools : path;
  const { id } = chosen[pick % chosen.length]!;
  const answer = { type: 'message', message: { role: 'user', content: `Instead ${pick}` }, parentId: id };
  if (kind === 'branch') return [answer];
  return [{ type: 'compaction', summary: 'What was said', firstKeptEntryId: id, tokensBefore: 9000 }];
}

interface Counts {
  restored: number;
  refused: number;
  edited: number;
}

async function follow(events: ComposedEvent[], steps: readonly Step[], counts: Counts): Promise<void> {
  const home = makeTalkingHome(events);
  const says: string[] = [];
  const states = new Map<number, { file: string; said: number; lonely: string[] }>();
  const note = (backupPath: string, file: string, lonely: string[]) =>
    states.set(Number(/(\d+)\.jsonl$/.exec(backupPath)?.[1]), { file, said: says.length, lonely });
  try {
    for (const [at, one] of steps.entries()) {
      const file = home.file();
      const lonely = listLonely(home);
      const misplaced = listMisplaced(home);
      if (one.kind === 'edit') {
        const flags = ['--keep', String(one.keep), '--truncate', String(one.truncate)];
        const { backupPath } = await home.json('edit', ID, ...flags);
        if (backupPath === undefined) continue;
        note(backupPath, file, lonely);
        counts.edited++;
      } else if (one.kind === 'say') says.push(home.say(`of step ${at}`));
      else if (one.kind !== 'restore') says.push(home.say('', composeMove(home, one.kind, one.pick)));
      else {
        const numbers = Object.keys(home.backups(ID)).map(Number);
        if (numbers.length === 0) continue;
        const number = numbers[one.pick % numbers.length]!;
        const { file: then, said, lonely: lonelyThen } = states.get(number)!;
        const since = says.slice(said).join('');
        if (pointsAway(then, since)) {
          await expectRefused(home, number, file);
          counts.refused++;
          continue;
        }
        // What it would refuse without the flag, it says with it.
        const { backupPath, linesKept, note: told = '' } = await home.restore(number, '--force');
        if (told.includes('The model does not read all')) {
          expect(told).toContain('thinking would be where providers refuse it');
          expect(listMisplaced(home).filter((id) => !misplaced.includes(id))).not.toEqual([]);
        }
        note(backupPath, file, lonely);
        expectSame(home.file(), then + since);
        for (const id of listLonely(home)) expect([...lonely, ...lonelyThen]).toContain(id);
        expect(linesKept).toBe(since.split('\n').length - 1);
        counts.restored++;
      }
    }
  } finally {
    rmSync(home.folder, { recursive: true });
  }
}

/** But for the parent of one line: who went back to a message without its calls goes on behind their results. */
function expectSame(file: string, expected: string): void {
  if (file === expected) return;
  const [lines, others] = [file.split('\n'), expected.split('\n')];
  expect(lines).toHaveLength(others.length);
  const differing = lines.flatMap((line, at) => (line === others[at] ? [] : [[line, others[at]!]]));
  expect(differing).toHaveLength(1);
  const [line, other] = differing[0]!.map((text) => JSON.parse(text) as Json);
  expect({ ...line, parentId: other.parentId }).toEqual(other);
}

/** The calls on the path whose results are elsewhere. */
function listLonely(home: TalkingHome): string[] {
  const lines = new Map(readLinesOf(home.path, ID).map(({ seq, text }) => [seq, JSON.parse(text) as Json]));
  const path = readPathOf(home.path, ID).map((seq) => lines.get(seq)!.message);
  const answered = new Set(path.map((message) => message?.toolCallId));
  return path
    .flatMap((message) => (Array.isArray(message?.content) ? message.content : []))
    .flatMap(({ type, id }) => (type === 'toolCall' && !answered.has(id) ? [id] : []));
}

/** The messages on the path with thinking behind something else: neighbours of one role are one message. */
function listMisplaced(home: TalkingHome): string[] {
  const lines = new Map(readLinesOf(home.path, ID).map(({ seq, text }) => [seq, JSON.parse(text) as Json]));
  const path = readPathOf(home.path, ID).flatMap((seq) => (lines.get(seq)!.message ? [lines.get(seq)!] : []));
  return path.flatMap(({ id, message }, at) => {
    const isThought = message.role === 'assistant' && message.content[0]?.type === 'thinking';
    return isThought && path[at - 1]?.message.role === 'assistant' ? [id] : [];
  });
}

/** Whether what was said since hangs from, or keeps, an entry that the state does not have. */
function pointsAway(then: string, since: string): boolean {
  const parse = (text: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Json);
  const ids = new Set([...parse(then), ...parse(since)].map(({ id }) => id));
  return parse(since)
    .flatMap(({ parentId, firstKeptEntryId }) => [parentId, firstKeptEntryId ?? null])
    .some((id) => id !== null && !ids.has(id));
}

async function expectRefused(home: TalkingHome, number: number, file: string): Promise<void> {
  const before = { marks: readMarksOf(home.path, ID), backups: home.backups(ID), journal: home.journal(ID) };
  const { code, hint } = await home.refused('restore', ID, '--backup', String(number));
  expect({ code, hint }).toEqual({ code: 'RESTORE_FAILED', hint: expect.stringContaining('Nothing was') });
  expect(home.file()).toBe(file);
  const after = { marks: readMarksOf(home.path, ID), backups: home.backups(ID), journal: home.journal(ID) };
  expect(after).toEqual(before);
}

test(
  'every state comes back exactly, with all that was said since behind it as it was said',
  HUNT,
  async () => {
    const counts = { restored: 0, refused: 0, edited: 0 };
    await fc.assert(
      fc.asyncProperty(
        arbitrarySessionOf(KINDS),
        fc.array(step, { minLength: 8, maxLength: 22, size: 'max' }),
        (events, steps) => follow(events, steps, counts),
      ),
      runs,
    );
    expect(counts.restored).toBeGreaterThan(runs.numRuns / 2);
    expect(counts.edited).toBeGreaterThan(runs.numRuns / 2);
    expect(counts.refused).toBeLessThan(counts.restored / 2);
  },
);
