import { type FileHandle, open, unlink } from 'node:fs/promises';
import { giveToFolderOwner } from '../../disk/folders.ts';
import { makeLeftoverPath } from '../../disk/leftover-name.ts';
import { OpenBotError } from '../../errors.ts';
import { composeLine } from '../../transcript/compose.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import { activePath } from '../../transcript/tree/tree.ts';
import { LineCopier } from '../../transcript-file/copy-lines.ts';
import { describeFileFault } from '../../transcript-file/file-faults.ts';
import { readRange } from '../../transcript-file/file-parts.ts';
import { scanTranscriptFile } from '../../transcript-file/scan.ts';
import { SourceChanged } from '../../transcript-file/source-windows.ts';
import { findHeader, isLinear, lineEndOf, openForReading, requireHeader } from '../own-transcript.ts';

const MOST_ATTEMPTS = 3;

/**
 * Copies the lines of a conversation, each unchanged, into a new file beside `target` that does not have
 * its name yet; resolves to its path. Takes no lock: the source may be in use for long, and its finished lines do not
 * change. If another program rewrites it meanwhile, the copy is made again. Undefined for a file without a header.
 */
export async function copyActivePath(
  source: string,
  target: string,
  header: Record<string, unknown>,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const transcript = await scanTranscriptFile(source);
    if (transcript.dialect !== 'claude-code' && findHeader(transcript) === undefined) return undefined;
    const headerLine = requireHeader(transcript, source);
    const lines = linesToCopy(transcript, headerLine);
    const temp = makeLeftoverPath(target, 'tmp');
    try {
      await writeCopy(source, temp, transcript, headerLine, lines, header);
      if (await isCopyOf(temp, transcript, lines)) return temp;
    } catch (error) {
      if (!(error instanceof SourceChanged)) {
        await unlink(temp).catch(() => {});
        throw describeFileFault(temp, error, 'write');
      }
    }
    await unlink(temp).catch(() => {});
    if (attempt === MOST_ATTEMPTS) throw keepsChanging(source);
  }
}

function linesToCopy(transcript: Transcript, headerLine: number): readonly number[] {
  if (!isLinear(transcript)) return activePath(transcript).entries;
  return Array.from({ length: transcript.length - headerLine - 1 }, (_, i) => headerLine + 1 + i);
}

async function writeCopy(
  source: string,
  temp: string,
  transcript: Transcript,
  headerLine: number,
  lines: readonly number[],
  header: Record<string, unknown>,
): Promise<void> {
  const from = await openForReading(source);
  try {
    const to = await open(temp, 'wx', 0o600);
    giveToFolderOwner(to.fd, temp);
    try {
      const copier = new LineCopier(from, to);
      const old = await readObject(from, transcript.startOf(headerLine), transcript.endOf(headerLine));
      await copier.put(Buffer.from(composeLine({ ...old, ...header })));
      for (let i = 0; i < lines.length; ) {
        // Neighbours in the file are one range.
        let last = i;
        while (lines[last + 1] === lines[last]! + 1) last++;
        await copier.copy(transcript.startOf(lines[i]!), lineEndOf(transcript, lines[last]!));
        const isOpen = lines[last] === transcript.length - 1 && !transcript.terminated;
        if (isOpen) await copier.put(Buffer.from('\n'));
        i = last + 1;
      }
      await copier.flush();
      await to.sync();
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function readObject(from: FileHandle, start: number, end: number): Promise<Record<string, unknown>> {
  const text = (await readRange(from, start, end)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new SourceChanged('The header is not what it was when it was scanned');
  }
}

async function isCopyOf(temp: string, transcript: Transcript, lines: readonly number[]): Promise<boolean> {
  const copy = await scanTranscriptFile(temp);
  if (copy.length !== lines.length + 1 || copy.kindOf(0) !== 'header') return false;
  return lines.every(
    (line, i) =>
      copy.idOf(i + 1) === transcript.idOf(line) &&
      copy.kindOf(i + 1) === transcript.kindOf(line) &&
      copy.endOf(i + 1) - copy.startOf(i + 1) === transcript.endOf(line) - transcript.startOf(line),
  );
}

function keepsChanging(source: string): OpenBotError {
  return new OpenBotError('TRANSCRIPT_UNREADABLE', `${source} was rewritten each time it was being copied`, {
    hint: 'Nothing was changed. Try again when the program that rewrites it has finished.',
  });
}
