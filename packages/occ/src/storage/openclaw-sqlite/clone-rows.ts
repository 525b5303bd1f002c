import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { OpenBotError, scanTranscriptFile, type Transcript } from '@openbot/sessions';
import {
  assertWritable,
  type DatabaseTranscript,
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
import type { CleanPlan } from '../../clean/plan.ts';
import { rewriteLine } from '../../clean/rewrite-line.ts';
import { cloneNotAsPlanned, planClone } from '../../rewrite/plan-clone.ts';
import { RewrittenLines } from '../../rewrite/rewritten-lines.ts';
import { findFault } from '../../rewrite/verify-clean.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { CloneRequest, MadeClone, PreparedClone, SessionLines } from '../contract/rewriting.ts';
import { prepareFileClone } from '../files/clones/clone-file.ts';
import type { CloneTraits, LineSource } from '../files/clones/clone-traits.ts';
import { cloneKeyOf, NO_ENTRY, openclawClones, resumeCommandOf } from '../openclaw-files/clone-entry.ts';
import { readSession, readSessionToClone } from './readable-session.ts';
import { readKeptLine } from './restored-lines.ts';
import { stageFromDatabase } from './staged-file.ts';

/** A clone of a session in a database: rows of the same database, or with an output path a file. */
export function prepareRowClone(request: CloneRequest): PreparedClone {
  const { session, outputPath, linesPath } = request;
  if (outputPath !== undefined) {
    // A backup is a file already.
    return linesPath === undefined
      ? prepareFileClone(request, CLONES_IN_FILES, linesOfRows(session))
      : prepareFileClone(request, openclawClones);
  }
  if (request.noRegister) {
    throw new OpenBotError(
      'USAGE',
      "A session in OpenClaw's database needs an entry, so --no-register needs --output",
      { hint: 'Name a file with --output, or leave out --no-register' },
    );
  }
  const sessionId = randomUUID();
  const sessionKey = cloneKeyOf(session, sessionId);
  if (sessionKey === undefined) {
    throw new OpenBotError(
      'USAGE',
      `${session.path} is not in the folder of an agent, so a clone in it cannot have a key`,
      { hint: 'Name a file with --output' },
    );
  }
  const clone: RowClone = { ...request, sessionId, sessionKey };
  return {
    path: session.path,
    make: async () => {
      const made = await withBackupLines(linesPath, async (lines) =>
        request.dryRun ? measureRows(clone, lines) : cloneIntoDatabase(clone, lines),
      );
      return { ...made, sessionId, sessionKey, resumeCommand: resumeCommandOf(sessionId) };
    },
  };
}

/** No index of files names them. */
const CLONES_IN_FILES: CloneTraits = {
  fileName: openclawClones.fileName,
  explainNoEntry: () => NO_ENTRY,
  resumeCommand: () => undefined,
};

function linesOfRows({ path, sessionId }: FoundSession): LineSource {
  return {
    name: sessionId,
    read: async (use) => readOpenclawDatabase(path, (database) => use(readSession(database, sessionId))),
    stage: async (target, planLines) => {
      const { file, result } = stageFromDatabase(path, target, (database, copy) => {
        const lines = readSession(database, sessionId);
        const plan = withoutBlankLines(lines, planLines(lines));
        for (let i = 0; i < lines.transcript.length; i++) {
          if (!plan.isRemoved(i)) copy.keep(clonedLine(lines, plan, i));
        }
        return { plan, before: lines.transcript };
      });
      const { plan, before } = result;
      file.close();
      return {
        temp: file.tempPath,
        plan,
        before,
        findFault: (after) => findOtherLine(before, after, plan),
      };
    },
  };
}

/**
 * Where the file has another line than planned. Rows that cannot be read have their ids and links in columns, which a file
 * does not have: what follows from links is not compared, so that a damaged session can be copied out of its database.
 */
function findOtherLine(before: Transcript, after: Transcript, plan: CleanPlan): string | undefined {
  let line = 0;
  for (let i = 0; i < before.length; i++) {
    if (plan.isRemoved(i)) continue;
    const isSame =
      line < after.length && after.kindOf(line) === before.kindOf(i) && after.idOf(line) === before.idOf(i);
    if (!isSame) return `line ${line + 1} differs from line ${i + 1} of the session`;
    line++;
  }
  return line === after.length ? undefined : 'it has more lines than planned';
}

/** A row holds a line, and a blank one is none. */
function withoutBlankLines({ transcript }: SessionLines, plan: CleanPlan): CleanPlan {
  return { ...plan, isRemoved: (i) => transcript.kindOf(i) === 'blank' || plan.isRemoved(i) };
}

function clonedLine({ readLine, readBytes }: DatabaseTranscript, plan: CleanPlan, index: number): Buffer {
  const edit = plan.editOf(index);
  if (edit === undefined) return readBytes(index);
  return Buffer.from(rewriteLine(readLine(index), edit, 'openclaw'), 'latin1');
}

interface RowClone extends CloneRequest {
  readonly sessionId: string;
  readonly sessionKey: string;
}

type Written = Pick<MadeClone, 'plan' | 'sizeBefore' | 'sizeAfter'>;

/** Reads a backup as what is to be rows of a database. Refuses what they could not hold. */
async function withBackupLines<T>(
  path: string | undefined,
  use: (lines: DatabaseTranscript | undefined) => Promise<T>,
): Promise<T> {
  if (path === undefined) return use(undefined);
  const transcript = await scanTranscriptFile(path, 'openclaw');
  const [broken] = transcript.problems;
  if (broken !== undefined) throw unsupported(path, `line ${broken.line} cannot be read`);
  if (transcript.hasDuplicates) throw unsupported(path, 'two lines have the same id');
  const file = openSync(path, 'r');
  const readBytes = (index: number) => readKeptLine({ path, file, transcript }, index);
  try {
    return await use({
      transcript,
      seqs: Array.from({ length: transcript.length }, (_, index) => index),
      readBytes,
      readLine: (index) => readBytes(index).toString('latin1'),
    });
  } finally {
    closeSync(file);
  }
}

function unsupported(path: string, why: string): OpenBotError {
  return new OpenBotError('SESSION_UNSUPPORTED', `${path} cannot be cloned into a database: ${why}`, {
    hint: 'Nothing was written. Use --output to write the clone to a file',
  });
}

function measureRows(clone: RowClone, lines: DatabaseTranscript | undefined): Written {
  const { session, force = false } = clone;
  return readOpenclawDatabase(session.path, (database) => {
    // What would be refused is not promised.
    refuseWithAdvice(() => assertWritable(database, force));
    const source = lines ?? readSessionToClone(database, session.sessionId);
    const plan = planRows(source, clone);
    const sizeAfter = new RewrittenLines(source, plan).measure();
    return { plan, sizeBefore: source.transcript.byteLength, sizeAfter };
  });
}

/** Inserts a copy under a new id and a key of its own, all in one transaction. */
function cloneIntoDatabase(clone: RowClone, lines: DatabaseTranscript | undefined): Written {
  const { session, force, sessionId, sessionKey, at } = clone;
  const database = refuseWithAdvice(() => openDatabaseForWriting(session.path, { force }));
  try {
    return inTransaction(database, 'immediate', () => {
      const source = lines ?? readSessionToClone(database, session.sessionId);
      const plan = planRows(source, clone);
      writeDatabaseEntry(database, sessionKey, {
        sessionId,
        updatedAt: at.getTime(),
        // OpenClaw's own check asks for it: a clone delivers its answers nowhere.
        delivery: { kind: 'none' },
      });
      writeRows(database, source, plan, lines === undefined ? session.sessionId : undefined, sessionId);
      const sizeAfter = finishClone(database, source, plan, clone);
      return { plan, sizeBefore: source.transcript.byteLength, sizeAfter };
    });
  } finally {
    database.close();
  }
}

/** A version that is not known does not prevent a copy in a file. */
function refuseWithAdvice<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof OpenBotError) || error.code !== 'DATABASE_UNSUPPORTED') throw error;
    throw new OpenBotError(error.code, error.message, {
      hint: `${error.hint} Use --output to write the clone to a file.`,
      cause: error,
    });
  }
}

function planRows(source: DatabaseTranscript, { session, sessionId, at, toolRemoval }: RowClone): CleanPlan {
  const identity = { sourceSessionId: session.sessionId, newSessionId: sessionId, at };
  // OpenClaw writes key and id of a session into its system prompt.
  return withoutBlankLines(source, planClone(source, session.sessionId, identity, toolRemoval, true));
}

/** @param from the session whose rows the lines are; undefined where they are in a file */
function writeRows(
  database: OpenclawDatabase,
  source: DatabaseTranscript,
  plan: CleanPlan,
  from: string | undefined,
  to: string,
): void {
  const { transcript, seqs } = source;
  const changes = openEventChanges(database, to);
  const copy = from === undefined ? undefined : openEventCopies(database, from, to);
  let seq = 0;
  for (let i = 0; i < transcript.length; i++) {
    if (plan.isRemoved(i)) continue;
    if (plan.editOf(i) === undefined && copy !== undefined) copy(seqs[i]!, seq);
    else changes.add(seq, clonedLine(source, plan, i));
    seq++;
  }
}

/** Verifies the rows and writes what OpenClaw keeps beside them. */
function finishClone(
  database: OpenclawDatabase,
  { transcript }: DatabaseTranscript,
  plan: CleanPlan,
  { sessionId, at }: RowClone,
): number {
  const after = scanDatabaseTranscript(database, sessionId);
  const fault = findFault(transcript, after.transcript, plan);
  if (fault !== undefined) throw cloneNotAsPlanned(fault);
  const projection = projectTranscript(after);
  writeProjection(database, sessionId, projection, at.getTime());
  const search = openSearchChanges(database, sessionId);
  const indexOf = new Map(after.seqs.map((seq, index) => [seq, index]));
  for (const { seq, messagePosition } of projection.rows) {
    if (messagePosition !== null) search.learn(after.readBytes(indexOf.get(seq)!), seq);
  }
  markRewritten(database, sessionId, makeGeneration(), at.getTime());
  return after.transcript.byteLength;
}
