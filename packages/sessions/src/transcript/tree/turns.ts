import { FLAG } from '../entry.ts';
import type { Transcript } from '../transcript.ts';

/** From a person's text, or what the runtime asks by itself, to the last entry before the next one. Positions are positions in the path that was given. */
export interface Turn {
  /** Counted from 0. */
  readonly turn: number;
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** False for what comes before the first turn, where that holds messages, and for turns that the runtime asked for. */
  readonly startsWithPerson: boolean;
  readonly toolCalls: number;
  /** Entries with output of tools in a person's place. */
  readonly toolOutputs: number;
}

/** Whether a clean counts the turn: it holds calls, or output in a person's place. */
export function hasTools({ toolCalls, toolOutputs }: Turn): boolean {
  return toolCalls + toolOutputs > 0;
}

/** Cuts a path into turns. Tool results, meta lines, command output and notifications never start one. */
export function turnsOf(transcript: Transcript, path: readonly number[]): Turn[] {
  const turns: Turn[] = [];
  let first = 0;
  let startsWithPerson = false;
  let toolCalls = 0;
  let toolOutputs = 0;
  let messages = 0;

  function close(end: number): void {
    if (messages > 0) {
      turns.push({ turn: turns.length, first, end, startsWithPerson, toolCalls, toolOutputs });
    }
    first = end;
    toolCalls = 0;
    toolOutputs = 0;
    messages = 0;
  }

  for (let position = 0; position < path.length; position++) {
    const index = path[position]!;
    const flags = transcript.flagsOf(index);
    if ((flags & FLAG.startsTurn) !== 0) {
      close(position);
      startsWithPerson = (flags & FLAG.systemPart) === 0;
    }
    if (transcript.kindOf(index) === 'message') messages++;
    toolCalls += transcript.callCountOf(index);
    if ((flags & FLAG.toolOutput) !== 0) toolOutputs++;
  }
  close(path.length);
  return turns;
}
