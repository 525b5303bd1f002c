import { isObject, type Json, type OracleLine } from './read-line.ts';
import type { OraclePath } from './walk-path.ts';

/** The conversation as Claude Code resumes it, told from parsed lines: where it goes on, and what leads there. */
export function walkClaudePath(lines: readonly OracleLine[]): {
  leaf: OracleLine | undefined;
  lines: OracleLine[];
} {
  const rows = new Map<string, OracleLine>();
  for (const line of lines) if (line.id !== undefined) rows.set(line.id, line);
  const pathTo = (line: OracleLine) =>
    withWholeMessages(
      climb(line, ({ parentId }) => rows.get(parentId ?? '')),
      lines,
    );
  const leaf = findLeaf(lines, rows, pathTo);
  return { leaf, lines: leaf === undefined ? [] : lines.filter((line) => pathTo(leaf).has(line)) };
}

function findLeaf(
  lines: readonly OracleLine[],
  rows: ReadonlyMap<string, OracleLine>,
  pathTo: (line: OracleLine) => Set<OracleLine>,
): OracleLine | undefined {
  const notes = readNotes(lines);
  if (notes.isCleared) return undefined;
  const last = notes.last ?? lines.findLast(({ inTree }) => inTree);
  const noted = rows.get(notes.leafId ?? '');
  if (last === undefined || noted === undefined) return last;
  const { boundary, kept, drops } = readCompaction(lines, rows);
  const isOld = boundary !== undefined && noted.index < boundary.index;
  if (isOld && drops && !kept.includes(noted)) return last;
  if (notes.isExplicit) return noted;
  const path = pathTo(last);
  // By their parents, lines before a compaction do not lead to those behind it.
  const leads = isOld && path.has(boundary) ? kept.includes(noted) : path.has(noted);
  return leads ? last : noted;
}

/** Lines of a path that the last compaction kept, where the path leads past it: through them it has the summary. */
export function keptOnWay(lines: readonly OracleLine[], path: OraclePath): OracleLine[] {
  const rows = new Map<string, OracleLine>();
  for (const line of lines) if (line.id !== undefined) rows.set(line.id, line);
  const { boundary, kept } = readCompaction(lines, rows);
  if (boundary === undefined || path.lines.includes(boundary)) return [];
  const goesOn = path.lines.some(({ index }) => index > boundary.index) || kept.includes(path.leaf!);
  return goesOn ? path.lines.filter((line) => kept.includes(line)) : [];
}

/** What lines of the conversation and notes between them say, one after the other. */
function readNotes(lines: readonly OracleLine[]) {
  let last: OracleLine | undefined;
  let leafId: string | undefined;
  let isExplicit = false;
  let isCleared = false;
  for (const line of lines) {
    const value = line.value ?? {};
    if (line.id !== undefined && !line.isSidechain) {
      last = line;
      isExplicit = false;
      isCleared = false;
    }
    if (isBoundary(line)) leafId = undefined;
    if (line.id !== undefined || value.type !== 'last-prompt') continue;
    if (typeof value.leafUuid === 'string') {
      isExplicit = value.explicit === true || (isExplicit && value.leafUuid === leafId);
      leafId = value.leafUuid;
      isCleared = false;
    } else if (value.leafUuid === null && value.explicit === true) {
      isExplicit = false;
      leafId = undefined;
      isCleared = true;
    }
  }
  return { last, leafId, isExplicit, isCleared };
}

/** The last compaction: what it keeps of what is older, and whether the rest is lost. */
function readCompaction(
  lines: readonly OracleLine[],
  rows: ReadonlyMap<string, OracleLine>,
): { boundary?: OracleLine; kept: OracleLine[]; drops: boolean } {
  const boundaries = lines.filter(isBoundary);
  const boundary = boundaries.at(-1);
  const telling = boundaries.findLast(({ value }) => keptOf(value!) !== undefined);
  if (telling === undefined || telling !== boundary)
    return { boundary, kept: [], drops: telling !== undefined };
  const { uuids, headUuid, tailUuid } = keptOf(telling.value!)!;
  const way = climb(rows.get(tailUuid as string), ({ value }) => rows.get(String(value!.parentUuid)));
  const end = way.findIndex(({ id }) => id === headUuid) + 1;
  const ids = Array.isArray(uuids) ? (uuids as string[]) : way.slice(0, end).map(({ id }) => id!);
  const isWhole = ids.every((id) => rows.has(id)) && (Array.isArray(uuids) || end > 0);
  return { boundary, kept: isWhole ? ids.map((id) => rows.get(id)!) : [], drops: isWhole };
}

function isBoundary({ value }: OracleLine): boolean {
  return value?.uuid !== undefined && value.subtype === 'compact_boundary';
}

function keptOf({ compactMetadata }: Json): Json | undefined {
  if (!isObject(compactMetadata)) return undefined;
  const { preservedMessages, preservedSegment } = compactMetadata;
  if (isObject(preservedMessages)) return preservedMessages;
  return isObject(preservedSegment) ? preservedSegment : undefined;
}

function climb(from: OracleLine | undefined, up: (line: OracleLine) => OracleLine | undefined): OracleLine[] {
  const way: OracleLine[] = [];
  for (let at = from; at !== undefined && !way.includes(at); at = up(at)) way.push(at);
  return way;
}

/**
 * Blocks of one message are lines of their own, and each result hangs from its own call: all belong together. Of a line
 * that is there twice the last one counts.
 */
function withWholeMessages(walked: readonly OracleLine[], lines: readonly OracleLine[]): Set<OracleLine> {
  const messages = new Set(walked.map(({ messageId }) => messageId).filter((id) => id !== undefined));
  const single = lines.filter(
    (line) => line.id !== undefined && lines.findLast(({ id }) => id === line.id) === line,
  );
  const ofMessages = single.filter(({ messageId }) => messageId !== undefined && messages.has(messageId));
  const callIds = new Set(ofMessages.flatMap(({ calls }) => calls.map(({ id }) => id)));
  const answers = single.filter(({ results }) => results.some((id) => callIds.has(id)));
  return new Set([...walked, ...ofMessages, ...answers]);
}
