/** Sessions of an OpenClaw since 2026.8, which are rows of a database. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { isSessionId, transcriptFileName } from '@openbot/sessions/layout';
import {
  listDatabaseSessions,
  type OpenclawDatabase,
  scanDatabaseTranscript,
} from '@openbot/sessions/openclaw-database';
import { replaceTopLevelFields, toByteText } from '@openbot/sessions/rewrite';
import { composeHeader } from '@openbot/sessions/transcript';
import type { FoundSession, FoundSessions, LeftOut } from './found-session.ts';

/** The sessions in an open database; their lines can be written as long as it is open. */
export function findDatabaseSessions(database: OpenclawDatabase): FoundSessions {
  const sessions: FoundSession[] = [];
  const leftOut: LeftOut[] = [];
  for (const found of listDatabaseSessions(database)) {
    const { sessionId, sessionKey, entry, isCurrent, isCold, hasTranscript } = found;
    if (!isSessionId(sessionId)) {
      leftOut.push({ what: sessionKey, why: 'its session id is not one' });
    } else if (isCold) {
      leftOut.push({
        what: `${sessionKey} (${sessionId})`,
        why: 'OpenClaw has moved its lines to an archive',
      });
    } else if (isCurrent && entry === undefined) {
      leftOut.push({ what: sessionKey, why: 'its entry cannot be read' });
    } else {
      sessions.push({
        sessionId,
        fileName: transcriptFileName(sessionId),
        current: entry === undefined ? undefined : { key: sessionKey, entry },
        write: hasTranscript ? (path) => writeTranscript(database, sessionId, path) : undefined,
      });
    }
  }
  return { path: database.path, sessions, leftOut };
}

/**
 * As pi's version 3. There a line hangs from the line that it names, and the last one is the leaf; OpenClaw's rules for
 * lines beside the conversation, moved leaves and parents that are missing are replaced by the parents that follow from them.
 */
function writeTranscript(database: OpenclawDatabase, sessionId: string, path: string): void {
  const { transcript, readLine } = scanDatabaseTranscript(database, sessionId);
  const file = openSync(path, 'wx', 0o600);
  try {
    const write = (line: string) => writeAll(file, Buffer.from(`${line}\n`, 'latin1'));
    // pi takes a file without one for empty, and overwrites it.
    if (transcript.header === undefined) write(toByteText(JSON.stringify(headerFor(sessionId))));
    for (let index = 0; index < transcript.length; index++) {
      const line = readLine(index);
      const parent = transcript.parentOf(index);
      const isMoved = parent >= 0 && transcript.parentNumberOf(index) !== transcript.idNumberOf(parent);
      if (transcript.kindOf(index) === 'header') write(replaceTopLevelFields(line, VERSION));
      else write(isMoved ? hangFrom(line, transcript.idOf(parent)!) : line);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function hangFrom(line: string, parentId: string): string {
  const id = toByteText(JSON.stringify(parentId));
  const moved = replaceTopLevelFields(line, new Map([['parentId', id]]));
  return moved === line ? line.replace('{', () => `{"parentId":${id},`) : moved;
}

const VERSION = new Map([['version', '3']]);

function headerFor(sessionId: string): object {
  return composeHeader({ sessionId, cwd: '/', timestamp: new Date(0).toISOString() });
}

function writeAll(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
