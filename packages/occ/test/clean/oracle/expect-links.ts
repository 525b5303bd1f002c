import type { ExpectedClean } from './expect-clean.ts';
import type { Json, OracleDialect, OracleLine } from './read-line.ts';
import { parentsOf } from './walk-path.ts';

/** The line with its links as they must be when others are gone. */
export function expectLinks(clean: ExpectedClean, line: OracleLine, dialect: OracleDialect): Json {
  return dialect === 'openclaw' ? expectOpenClaw(clean, line) : expectClaude(clean, line);
}

interface Ways {
  /** Undefined for an id that no line has. */
  find(id: unknown): OracleLine | undefined;
  isGone(line: OracleLine | undefined): boolean;
  nearestKept(line: OracleLine | undefined): OracleLine | undefined;
  parents: Map<OracleLine, OracleLine | undefined>;
}

const waysOfClean = new WeakMap<ExpectedClean, Ways>();

function waysOf(clean: ExpectedClean): Ways {
  const ways = waysOfClean.get(clean) ?? findWays(clean);
  waysOfClean.set(clean, ways);
  return ways;
}

function findWays({ lines, expected }: ExpectedClean): Ways {
  const parents = parentsOf(lines);
  const isGone = (line: OracleLine | undefined): boolean =>
    line !== undefined && expected[line.index]!.isRemoved;
  return {
    parents,
    isGone,
    find: (id) => lines.findLast((line) => line.id !== undefined && line.id === id),
    nearestKept(line) {
      let at = line;
      while (at !== undefined && isGone(at)) at = parents.get(at);
      return at;
    },
  };
}

function expectOpenClaw(clean: ExpectedClean, line: OracleLine): Json {
  const value = { ...line.value! };
  const ways = waysOf(clean);
  const parent = ways.find(value.parentId);
  if (ways.isGone(parent)) value.parentId = ways.nearestKept(parent)?.id ?? null;
  if (value.type === 'label') value.targetId = movedTarget(ways, value.targetId, line);
  if (value.type === 'branch_summary') value.fromId = movedTarget(ways, value.fromId, line);
  // An edit of what is gone must not change anything else.
  if (value.type === 'context_edit' && ways.isGone(ways.find(value.targetId))) value.targetId = line.id;
  if (value.type !== 'compaction') return value;

  const before: OracleLine[] = [];
  for (let at = ways.parents.get(line); at !== undefined; at = ways.parents.get(at)) before.unshift(at);
  const firstKeptAfter = (target: OracleLine | undefined) =>
    before.slice(before.indexOf(target!) + 1).find((one) => !ways.isGone(one)) ?? line;
  if (value.firstKeptEntryId !== undefined) {
    const target = ways.find(value.firstKeptEntryId);
    if (ways.isGone(target)) value.firstKeptEntryId = firstKeptAfter(target).id;
  } else if (typeof value.firstKeptEntryIndex === 'number') {
    const parsed = clean.lines.filter((one) => one.value !== undefined);
    const target = parsed[value.firstKeptEntryIndex];
    if (target === undefined) return value;
    const first = ways.isGone(target) ? firstKeptAfter(target) : target;
    value.firstKeptEntryIndex = parsed.filter((one) => !ways.isGone(one)).indexOf(first);
  }
  return value;
}

function movedTarget(ways: Ways, id: unknown, self: OracleLine): unknown {
  const target = ways.find(id);
  return ways.isGone(target) ? (ways.nearestKept(target)?.id ?? self.id) : id;
}

function expectClaude(clean: ExpectedClean, line: OracleLine): Json {
  const value = { ...line.value! };
  const ways = waysOf(clean);
  for (const field of ['parentUuid', 'logicalParentUuid', 'leafUuid']) {
    if (field === 'logicalParentUuid' && value.parentUuid !== null) continue;
    if (field === 'leafUuid' && line.id !== undefined) continue;
    const target = ways.find(value[field]);
    // A rewind to nothing would be another one.
    const nothing = value.explicit === true ? value[field] : null;
    if (ways.isGone(target)) value[field] = ways.nearestKept(target)?.id ?? nothing;
  }
  if (value.subtype !== 'compact_boundary') return value;
  const metadata = { ...(value.compactMetadata as Json) };
  value.compactMetadata = metadata;
  const left = (ids: unknown) => (ids as string[]).filter((id) => !ways.isGone(ways.find(id)));
  if (metadata.preservedMessages !== undefined) {
    const messages = { ...(metadata.preservedMessages as Json) };
    metadata.preservedMessages = messages;
    messages.uuids = left(messages.uuids);
    messages.allUuids = left(messages.allUuids);
  }
  if (metadata.preservedSegment !== undefined) {
    const segment = { ...(metadata.preservedSegment as Json) };
    const stretch: OracleLine[] = [];
    const head = ways.find(segment.headUuid);
    for (let at = ways.find(segment.tailUuid); at !== undefined; at = ways.parents.get(at)) {
      stretch.unshift(at);
      if (at === head) break;
    }
    const kept = stretch.filter((one) => !ways.isGone(one));
    metadata.preservedSegment = { ...segment, headUuid: kept[0]?.id, tailUuid: kept.at(-1)?.id };
    if (kept.length === 0) {
      const { anchorUuid } = segment;
      delete metadata.preservedSegment;
      metadata.preservedMessages ??= { anchorUuid, uuids: [], allUuids: [] };
    }
  }
  return value;
}
