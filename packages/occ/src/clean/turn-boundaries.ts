import { activePath, turnsOf } from '@openbot/sessions';
import { toByteText } from '@openbot/sessions/rewrite';
import type { MessageEntry } from './parsed-session.ts';
import { buildTranscript } from './remove-tool-calls.ts';

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
