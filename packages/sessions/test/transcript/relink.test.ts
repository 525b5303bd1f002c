import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { contextOf } from '../../src/transcript/context/context.ts';
import { LineSplitter } from '../../src/transcript/lines.ts';
import { planRelinking } from '../../src/transcript/rewrite/relink.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { activePath, leafOf } from '../../src/transcript/tree/tree.ts';
import { asJsonl, type GeneratedLine, generatedTree } from './generated-tree.ts';

function read(content: string): Transcript {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(Buffer.from(content));
  splitter.finish();
  return builder.finish(splitter.offset);
}

const TARGET_FIELD: Record<string, string> = {
  compaction: 'firstKeptEntryId',
  label: 'targetId',
  branch_summary: 'fromId',
  context_edit: 'targetId',
};

/** Does to the lines what the plan says. */
function remove(
  lines: readonly GeneratedLine[],
  transcript: Transcript,
  gone: ReadonlySet<number>,
): GeneratedLine[] {
  const { parents, targets } = planRelinking(transcript, (index) => gone.has(index));
  return lines.flatMap((line, position) => {
    const index = position + 1;
    if (gone.has(index)) return [];
    const changed: GeneratedLine = { ...line };
    const parent = parents.get(index);
    if (parent !== undefined) changed.parentId = parent;
    const target = targets.get(index);
    if (target !== undefined) changed[TARGET_FIELD[line.type as string]!] = target;
    return [changed];
  });
}

const ids = (transcript: Transcript, indices: readonly number[]) =>
  indices.map((index) => transcript.idOf(index)!);

describe('relinking', () => {
  test('keeps the path, the leaf and the context whole, whatever goes', HUNT, () => {
    fc.assert(
      fc.property(generatedTree, fc.array(fc.nat(), { maxLength: 20 }), (lines, picks) => {
        const before = read(asJsonl(lines));
        // The leaf never goes, nor does what summarises or changes others.
        const gone = new Set(
          picks
            .map((pick) => 1 + (pick % lines.length))
            .filter(
              (index) =>
                index !== leafOf(before) && !['compaction', 'context-edit'].includes(before.kindOf(index)),
            ),
        );
        const after = read(asJsonl(remove(lines, before, gone)));
        const goneIds = new Set(ids(before, [...gone]));
        const left = (all: string[]) => all.filter((id) => !goneIds.has(id));

        expect(after.idOf(leafOf(after))).toBe(before.idOf(leafOf(before)));
        const pathBefore = activePath(before);
        const pathAfter = activePath(after);
        expect(pathAfter.brokenAt).toBeUndefined();
        expect(ids(after, pathAfter.entries)).toEqual(left(ids(before, pathBefore.entries)));
        expect(ids(after, contextOf(after, pathAfter.entries).entries)).toEqual(
          left(ids(before, contextOf(before, pathBefore.entries).entries)),
        );
        for (const entry of after.entries()) {
          if (typeof entry.parentId === 'string') expect(after.indexOf(entry.parentId)).toBeDefined();
          if (entry.target !== undefined) expect(after.indexOf(entry.target)).toBeDefined();
        }
      }),
      cases({ gate: 40, torture: 10_000 }),
    );
  });

  test('an edit of a removed entry edits nothing else', () => {
    const lines: GeneratedLine[] = [
      { type: 'message', message: { role: 'user', content: 'question' }, id: 'a', parentId: null },
      { type: 'message', message: { role: 'user', content: 'x'.repeat(100) }, id: 'b', parentId: 'a' },
      { type: 'context_edit', targetId: 'b', replacement: { content: 'cut' }, id: 'c', parentId: 'b' },
    ];
    const transcript = read(asJsonl(lines));
    expect([...planRelinking(transcript, (index) => index === 2).targets]).toEqual([[3, 'c']]);
  });

  test('the oldest compactions count lines, and the count follows', () => {
    const lines = [
      { type: 'session', id: 's', cwd: '/w' },
      { type: 'message', message: { role: 'user', content: 'one' } },
      { type: 'message', message: { role: 'user', content: 'two' } },
      { type: 'message', message: { role: 'user', content: 'three' } },
      { type: 'compaction', summary: 's', firstKeptEntryIndex: 2 },
    ];
    const transcript = read(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const numbers = (gone: number[]) => [
      ...planRelinking(transcript, (index) => gone.includes(index)).targetNumbers,
    ];
    expect(numbers([])).toEqual([[4, 2]]);
    expect(numbers([1])).toEqual([[4, 1]]);
    expect(numbers([1, 2])).toEqual([[4, 1]]);
    expect(numbers([2])).toEqual([[4, 2]]);
  });

  test('changes nothing where nothing goes', () => {
    fc.assert(
      fc.property(generatedTree, (lines) => {
        const plan = planRelinking(read(asJsonl(lines)), () => false);
        expect(plan.parents.size + plan.targets.size).toBe(0);
      }),
    );
  });

  test('a kept range moves to the next kept entry, a label to the nearest kept ancestor', () => {
    const at = (id: string, parentId: string | null, fields: object): GeneratedLine => ({
      ...fields,
      id,
      parentId,
    });
    const say = (text: string) => ({ type: 'message', message: { role: 'user', content: text } });
    const lines = [
      at('a', null, say('1')),
      at('b', 'a', say('2')),
      at('c', 'b', say('3')),
      at('d', 'c', { type: 'compaction', summary: 's', firstKeptEntryId: 'b' }),
      at('e', 'd', { type: 'label', targetId: 'c', label: 'x' }),
    ];
    const transcript = read(asJsonl(lines));
    const gone = (wanted: string[]) => (index: number) => wanted.includes(transcript.idOf(index) ?? '');
    expect([...planRelinking(transcript, gone(['b'])).targets]).toEqual([[4, 'c']]);
    expect([...planRelinking(transcript, gone(['b', 'c'])).targets]).toEqual([
      [4, 'd'],
      [5, 'a'],
    ]);
    expect([...planRelinking(transcript, gone(['a', 'b'])).parents]).toEqual([[3, null]]);
  });
});
