import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HUNT } from '../../../../test/setup/hunt.ts';
import { BINDING_MODEL } from './arbitraries/models.ts';
import { removalOptions } from './arbitraries/removal-options.ts';
import { cleanBytes } from './clean-bytes.ts';
import { DIALECTS, RUNS } from './dialects.ts';
import { readLines } from './oracle/read-bytes.ts';
import {
  blocksOf,
  isObject,
  isThinking,
  type Json,
  type OracleLine,
  parseObject,
} from './oracle/read-line.ts';
import { parentsOf, walkPath } from './oracle/walk-path.ts';

const LINKS = [
  ...['parentId', 'targetId', 'fromId', 'firstKeptEntryId', 'firstKeptEntryIndex'],
  ...['parentUuid', 'logicalParentUuid', 'leafUuid', 'compactMetadata'],
];

function withoutThinking(value: Json): Json {
  const strip = ({ content, ...rest }: Json) => ({
    ...rest,
    content: Array.isArray(content) ? blocksOf(content).filter((block) => !isThinking(block)) : content,
  });
  return { ...strip(value), ...(isObject(value.message) && { message: strip(value.message) }) };
}

/** Every id that a line names as another line's. */
function namedIds(value: Json): unknown[] {
  const metadata = isObject(value.compactMetadata) ? value.compactMetadata : {};
  const messages = isObject(metadata.preservedMessages) ? metadata.preservedMessages : {};
  const segment = isObject(metadata.preservedSegment) ? metadata.preservedSegment : {};
  const single = LINKS.slice(0, -1).map((field) => value[field]);
  const ofSegment = [segment.headUuid, segment.anchorUuid, segment.tailUuid];
  return [...single, ...ofSegment, messages.anchorUuid]
    .concat(messages.uuids, messages.allUuids)
    .filter((id) => typeof id === 'string');
}

describe.each(DIALECTS)('the tree, $dialect', ({ dialect, transcripts }) => {
  test('ids, leaf and the order of what stays are as they were', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const { plan, planned, lines } = cleanBytes(bytes, options);
        const before = readLines(bytes, dialect);
        const after = readLines(planned, dialect);
        expect(lines.length).toBe(before.length);
        const kept = before.filter(({ index }) => !plan.isRemoved(index));
        expect(after.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));

        const position = (line: OracleLine | undefined) => (line === undefined ? -1 : kept.indexOf(line));
        const pathBefore = walkPath(before, dialect);
        const pathAfter = walkPath(after, dialect);
        expect(pathAfter.leaf?.index ?? -1).toBe(position(pathBefore.leaf));
        expect(pathAfter.lines.map(({ index }) => index)).toEqual(
          pathBefore.lines.filter((line) => kept.includes(line)).map(position),
        );
      }),
      RUNS,
    );
  });

  test('everything hangs from its nearest ancestor that stays', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const { plan, planned } = cleanBytes(bytes, options);
        const before = readLines(bytes, dialect);
        const after = readLines(planned, dialect);
        const kept = before.filter(({ index }) => !plan.isRemoved(index));
        const [parentsBefore, parentsAfter] = [parentsOf(before), parentsOf(after)];
        for (const [position, line] of kept.entries()) {
          let parent = parentsBefore.get(line);
          while (parent !== undefined && plan.isRemoved(parent.index)) parent = parentsBefore.get(parent);
          const wanted = parent === undefined ? -1 : kept.indexOf(parent);
          expect([position, parentsAfter.get(after[position]!)?.index ?? -1]).toEqual([position, wanted]);
        }
      }),
      RUNS,
    );
  });

  test('nothing names a line that is gone', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const { plan, planned } = cleanBytes(bytes, options);
        const after = readLines(planned, dialect);
        const left = new Set(after.map(({ id }) => id));
        const gone = new Set(
          readLines(bytes, dialect)
            .filter(({ id, index }) => plan.isRemoved(index) && !left.has(id))
            .map(({ id }) => id),
        );
        for (const { value } of after) {
          // A rewind to nothing would be another one: it goes on naming what is gone.
          if (value === undefined || value.explicit === true) continue;
          const dangling = namedIds(value).filter((id) => gone.has(id as string));
          expect(dangling).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  test('entries off the active path change in their links, and lose bound thinking', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const before = readLines(bytes, dialect);
        const path = new Set(walkPath(before, dialect).lines);
        const isBound = bytes.includes(BINDING_MODEL);
        const unlinked = (value: Json) => {
          const copy = { ...value };
          for (const field of LINKS) delete copy[field];
          return JSON.stringify(isBound ? withoutThinking(copy) : copy);
        };
        for (const [index, line] of cleanBytes(bytes, options).lines.entries()) {
          const { id, value } = before[index]!;
          // An entry that is there twice is on the path once.
          const isCopy = id !== undefined && before.findLastIndex((other) => other.id === id) !== index;
          if (path.has(before[index]!) || isCopy) continue;
          expect(line.after).toBeDefined();
          if (value === undefined) expect(line.after).toBe(line.before);
          else expect(unlinked(parseObject(line.after!)!)).toBe(unlinked(value));
        }
      }),
      RUNS,
    );
  });
});
