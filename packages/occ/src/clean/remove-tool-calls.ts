import { activePath, type Transcript, turnsOf } from '@openbot/sessions';
import { fromByteText, toByteText } from '@openbot/sessions/rewrite';
import { TranscriptBuilder } from '@openbot/sessions/transcript';
import type { MessageEntry, SessionEntry } from './parsed-session.ts';
import { planClean } from './plan-clean.ts';
import { rewriteLine } from './rewrite-line.ts';
import type { ResolvedToolRemovalOptions } from './tool-removal.ts';

export interface ToolRemovalStatistics {
  turnsWithToolsTotal: number;
  turnsWithToolsRemoved: number;
  turnsWithToolsTruncated: number;
  turnsWithToolsPreserved: number;
  toolCallsRemoved: number;
  toolCallsTruncated: number;
}

export interface ToolRemovalResult {
  processedEntries: SessionEntry[];
  statistics: ToolRemovalStatistics;
}

/** Cleans a session that is held in memory, by the same rules as one in a file. The entries given are left as they are. */
export function removeToolCalls(
  entries: readonly SessionEntry[],
  options: ResolvedToolRemovalOptions,
): ToolRemovalResult {
  const lines = entries.map((entry) => toByteText(JSON.stringify(entry)));
  const transcript = buildTranscript(lines);
  const plan = planClean(transcript, options, (index) => lines[index]!);
  const dialect = transcript.dialect ?? 'openclaw';
  const processedEntries: SessionEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    if (plan.isRemoved(index)) continue;
    const edit = plan.editOf(index);
    const rewritten = edit === undefined ? undefined : rewriteLine(lines[index]!, edit, dialect);
    processedEntries.push(rewritten === undefined ? entry : JSON.parse(fromByteText(rewritten)));
  }
  const { statistics } = plan;
  return {
    processedEntries,
    statistics: {
      turnsWithToolsTotal: statistics.turnsWithToolsTotal,
      turnsWithToolsRemoved: statistics.turnsWithToolsRemoved,
      turnsWithToolsTruncated: statistics.turnsWithToolsTruncated,
      turnsWithToolsPreserved: statistics.turnsWithToolsPreserved,
      toolCallsRemoved: statistics.toolCallsRemoved,
      toolCallsTruncated: statistics.toolCallsTruncated,
    },
  };
}

/** @param lines one character a byte, without line ends */
function buildTranscript(lines: readonly string[]): Transcript {
  const builder = new TranscriptBuilder();
  let offset = 0;
  for (const line of lines) {
    const bytes = Buffer.from(line, 'latin1');
    builder.line(bytes, 0, bytes.length, offset, true);
    offset += bytes.length + 1;
  }
  return builder.finish(offset);
}

/** A turn, from a person's text to the last entry before the next one. */
export interface TurnBoundary {
  /** The first entry of the turn. */
  startIndex: number;
  /** The last one. */
  endIndex: number;
  /** Counted from 0. */
  turnIndex: number;
  hasToolCalls: boolean;
}

/** The turns of a session's messages, the header left out. In a tree, those of the active path. */
export function identifyTurnBoundaries(entries: readonly MessageEntry[]): TurnBoundary[] {
  const transcript = buildTranscript(entries.map((entry) => toByteText(JSON.stringify(entry))));
  const path = activePath(transcript).entries;
  return turnsOf(transcript, path).map(({ first, end, turn, toolCalls }) => ({
    startIndex: path[first]!,
    endIndex: path[end - 1]!,
    turnIndex: turn,
    hasToolCalls: toolCalls > 0,
  }));
}
