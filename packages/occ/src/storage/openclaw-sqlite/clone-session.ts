import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { OpenBotError, scanTranscriptFile } from '@openbot/sessions';
import { makeFolder, syncFolder } from '@openbot/sessions/disk';
import {
  assertWritable,
  inTransaction,
  makeGeneration,
  markRewritten,
  type OpenclawDatabase,
  openDatabaseForWriting,
  openEventChanges,
  openEventCopies,
  openSearchChanges,
  projectTranscript,
  readOpenclawDatabase,
  scanDatabaseTranscript,
  writeDatabaseEntry,
  writeProjection,
} from '@openbot/sessions/openclaw-database';
import { rewriteLine } from '../../clean/rewrite-line.ts';
import { findFault } from '../../rewrite/verify-clean.ts';
import { alreadyThere, cloneNotAsPlanned, type FileCloneResult, publishClone } from '../files/clone-file.ts';
import {
  type DatabaseClone,
  findOtherLine,
  iterateClonedLines,
  type PlannedClone,
  planClone,
} from './planned-clone.ts';
import { readIntoFile } from './read-into-file.ts';
import { readSession, readSessionToClone } from './readable-session.ts';

/** What a clone in the database would be. Nothing is written. */
export function planCloneIntoDatabase(clone: DatabaseClone): FileCloneResult {
  return measureClone(clone, (database, sessionId) => {
    // What would be refused is not promised.
    refuseWithWayOut(() => assertWritable(database, clone.force ?? false));
    return clone.lines ?? readSessionToClone(database, sessionId);
  });
}

/** The same for a file. */
export function planCloneToFile(clone: DatabaseClone, targetPath: string): FileCloneResult {
  if (existsSync(targetPath)) throw alreadyThere(targetPath);
  return measureClone(clone, readSession);
}

function measureClone(clone: DatabaseClone, read: typeof readSession): FileCloneResult {
  return readOpenclawDatabase(clone.session.path, (database) => {
    const planned = planClone(read(database, clone.session.sessionId), clone);
    let sizeAfter = 0;
    for (const line of iterateClonedLines(planned)) sizeAfter += line.length;
    return { plan: planned.plan, sizeBefore: planned.transcript.byteLength, sizeAfter };
  });
}

/** Inserts a copy under a new id and a key of its own, all in one transaction. */
export function cloneIntoDatabase(clone: DatabaseClone, sessionKey: string): FileCloneResult {
  const { session, newSessionId } = clone;
  const database = refuseWithWayOut(() => openDatabaseForWriting(session.path, { force: clone.force }));
  try {
    return inTransaction(database, 'immediate', () => {
      const source = clone.lines ?? readSessionToClone(database, session.sessionId);
      const planned = planClone(source, clone);
      writeDatabaseEntry(database, sessionKey, {
        sessionId: newSessionId,
        updatedAt: clone.at.getTime(),
        // OpenClaw's own check asks for it: nobody waits for answers in a clone.
        delivery: { kind: 'none' },
      });
      writeRows(database, planned, clone.lines === undefined ? session.sessionId : undefined, newSessionId);
      const sizeAfter = finishClone(database, planned, newSessionId, clone.at);
      return { plan: planned.plan, sizeBefore: source.transcript.byteLength, sizeAfter };
    });
  } finally {
    database.close();
  }
}

/** A version that is not known keeps nobody from a copy in a file. */
function refuseWithWayOut<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof OpenBotError) || error.code !== 'DATABASE_UNSUPPORTED') throw error;
    throw new OpenBotError(error.code, error.message, {
      hint: `${error.hint} With --output the clone is written to a file.`,
      cause: error,
    });
  }
}

/** Writes a copy to a file of its own, which gets its name when it is whole and verified. */
export async function cloneToFile(clone: DatabaseClone, targetPath: string): Promise<FileCloneResult> {
  if (existsSync(targetPath)) throw alreadyThere(targetPath);
  await makeFolder(dirname(targetPath));
  const { path, sessionId } = clone.session;
  const { file, result: planned } = readIntoFile(path, targetPath, (database, copy) => {
    const plan = planClone(readSession(database, sessionId), clone);
    for (const line of iterateClonedLines(plan)) copy.put(line);
    return plan;
  });
  try {
    const after = await scanTranscriptFile(file.tempPath);
    const fault = findOtherLine(planned, after);
    if (fault !== undefined) throw cloneNotAsPlanned(fault);
    if (existsSync(targetPath)) throw alreadyThere(targetPath);
    await publishClone(file.tempPath, targetPath);
    await syncFolder(dirname(targetPath)).catch((error) => {
      rmSync(targetPath, { force: true });
      throw error;
    });
    const { plan, transcript } = planned;
    return { plan, sizeBefore: transcript.byteLength, sizeAfter: after.byteLength };
  } finally {
    file.drop();
  }
}

/** @param from the session whose rows the lines are; undefined where they are in a file */
function writeRows(
  database: OpenclawDatabase,
  planned: PlannedClone,
  from: string | undefined,
  to: string,
): void {
  const { transcript, seqs, readLine, readBytes, plan, editOf } = planned;
  const changes = openEventChanges(database, to);
  const copy = from === undefined ? undefined : openEventCopies(database, from, to);
  let seq = 0;
  for (let i = 0; i < transcript.length; i++) {
    if (plan.isRemoved(i)) continue;
    const edit = editOf(i);
    if (edit === undefined && copy !== undefined) copy(seqs[i]!, seq);
    else if (edit === undefined) changes.add(seq, readBytes(i));
    else changes.add(seq, Buffer.from(rewriteLine(readLine(i), edit, 'openclaw'), 'latin1'));
    seq++;
  }
}

/** Verifies the rows and writes what OpenClaw keeps beside them. */
function finishClone(
  database: OpenclawDatabase,
  { transcript, plan }: PlannedClone,
  newSessionId: string,
  at: Date,
): number {
  const after = scanDatabaseTranscript(database, newSessionId);
  const fault = findFault(transcript, after.transcript, plan);
  if (fault !== undefined) throw cloneNotAsPlanned(fault);
  const projection = projectTranscript(after);
  writeProjection(database, newSessionId, projection, at.getTime());
  const search = openSearchChanges(database, newSessionId);
  const indexOf = new Map(after.seqs.map((seq, index) => [seq, index]));
  for (const { seq, messagePosition } of projection.rows) {
    if (messagePosition !== null) search.learn(after.readBytes(indexOf.get(seq)!), seq);
  }
  markRewritten(database, newSessionId, makeGeneration(), at.getTime());
  return after.transcript.byteLength;
}
