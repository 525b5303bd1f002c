import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { OpenBotError } from '../errors.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { headerMissing } from '../transcript-file/header.ts';

/** The line that holds the header. Refuses transcripts of other programs, which follow rules of their own. */
export function requireHeader(transcript: Transcript, path: string): number {
  if (transcript.dialect === 'claude-code') {
    throw new OpenBotError('TRANSCRIPT_UNSUPPORTED', `${path} is a transcript of Claude Code`, {
      hint: 'Nothing was changed. Claude Code compacts and forks its own sessions.',
    });
  }
  const header = findHeader(transcript);
  if (header === undefined) throw headerMissing(path);
  return header;
}

export function findHeader(transcript: Transcript): number | undefined {
  for (let i = 0; i < transcript.length; i++) {
    const kind = transcript.kindOf(i);
    if (kind === 'header') return i;
    if (kind !== 'broken' && kind !== 'blank') return undefined;
  }
  return undefined;
}

/** Where line `index` ends, its line end included. */
export function lineEndOf(transcript: Transcript, index: number): number {
  return index + 1 < transcript.length ? transcript.startOf(index + 1) : transcript.byteLength;
}

/** A version 1 file: its lines have no ids and follow each other. */
export function isLinear(transcript: Transcript): boolean {
  return Number(transcript.header?.version ?? 1) < 2;
}

export function openForReading(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
}
