import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OpenBotError, reportProgress, scanTranscriptFile } from '@openbot/sessions';
import {
  deferEnding,
  giveToFolderOwner,
  linkNew,
  makeFolder,
  makeLeftoverPath,
  syncFolder,
} from '@openbot/sessions/disk';
import { classifySessionFileName } from '@openbot/sessions/layout';
import { LineCopier } from '@openbot/sessions/rewrite';
import { scanOpenTranscript } from '@openbot/sessions/transcript';
import type { CleanPlan } from '../../../clean/plan.ts';
import { CloneOperationError } from '../../../errors.ts';
import { applyPlan, makeLineReader } from '../../../rewrite/apply-plan.ts';
import { cloneNotAsPlanned, planClone } from '../../../rewrite/plan-clone.ts';
import { RewrittenLines } from '../../../rewrite/rewritten-lines.ts';
import { findFault } from '../../../rewrite/verify-clean.ts';
import type { CloneRequest, MadeClone, PreparedClone, SessionLines } from '../../contract/rewriting.ts';
import { noteClone, sweepKilledClones } from './clone-note.ts';
import type { CloneEntry, CloneFile, CloneTraits, CopiedFiles, LineSource } from './clone-traits.ts';

/** A clone that is a new file: it gets its name when it is whole and verified, and its entry last. */
export function prepareFileClone(
  request: CloneRequest,
  traits: CloneTraits,
  source: LineSource = linesOfFile(request.linesPath ?? request.session.path),
): PreparedClone {
  const { session, outputPath, at, dryRun, noRegister } = request;
  const folder = dirname(session.path);
  const sessionId = (outputPath && traits.idIn?.(outputPath)) || randomUUID();
  if (!dryRun) sweepKilledClones(folder);
  const path = outputPath ?? join(folder, traits.fileName(sessionId, at));
  assertFreeName(path);
  const entry = noRegister ? undefined : traits.entryOf?.(request, { sessionId, path });
  entry?.assertReadable();
  const clone = { request, traits, source, sessionId, path, entry };
  return {
    path,
    make: async () => {
      if (existsSync(path)) throw alreadyThere(path);
      const made = await (dryRun ? source.read((lines) => measureClone(clone, lines)) : makeClone(clone));
      return {
        ...made,
        sessionId,
        sessionKey: entry?.key,
        note: entry === undefined && !noRegister ? traits.explainNoEntry?.(request) : undefined,
        resumeCommand: traits.resumeCommand({ sessionId, path, isRegistered: entry !== undefined }, request),
      };
    },
  };
}

function linesOfFile(path: string): LineSource {
  return {
    name: path,
    read: (use) => withFile(path, async (_, lines) => use(lines)),
    stage: (target, plan) =>
      withFile(path, async (file, lines) => {
        const planned = plan(lines);
        return {
          temp: await stageLines(target, file, lines, planned),
          plan: planned,
          before: lines.transcript,
          findFault: (after) => findFault(lines.transcript, after, planned),
        };
      }),
  };
}

async function withFile<T>(
  path: string,
  use: (file: FileHandle, lines: SessionLines) => Promise<T>,
): Promise<T> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    reportProgress({ step: 'scan', text: 'Reading the session' });
    const transcript = await scanOpenTranscript(file, path);
    return await use(file, { transcript, readLine: makeLineReader(file, transcript) });
  } finally {
    await file.close();
  }
}

async function stageLines(
  path: string,
  source: FileHandle,
  { transcript }: SessionLines,
  plan: CleanPlan,
): Promise<string> {
  const temp = makeLeftoverPath(path, 'tmp');
  const target = await open(temp, 'wx', 0o600);
  reportProgress({ step: 'write', text: 'Writing the clone' });
  try {
    giveToFolderOwner(target.fd, path);
    const copier = new LineCopier(source, target);
    await applyPlan(copier, transcript, plan);
    // What is appended to a line without an end would be lost with it.
    if (!transcript.terminated) await copier.put(Buffer.from('\n'));
    await copier.flush();
    await target.sync();
    return temp;
  } catch (error) {
    await unlink(temp).catch(() => {});
    throw error;
  } finally {
    await target.close();
  }
}

interface FileClone extends CloneFile {
  readonly request: CloneRequest;
  readonly traits: CloneTraits;
  readonly source: LineSource;
  readonly entry: CloneEntry | undefined;
}

type Written = Pick<MadeClone, 'plan' | 'sizeBefore' | 'sizeAfter'>;

function measureClone(clone: FileClone, lines: SessionLines): Written {
  const plan = planFile(clone, lines);
  const sizeAfter = new RewrittenLines(lines, plan).measure() + endingOf(clone, lines).length;
  return { plan, sizeBefore: lines.transcript.byteLength, sizeAfter };
}

function planFile({ request, sessionId, source }: FileClone, lines: SessionLines): CleanPlan {
  const { session, at, toolRemoval, staleFrom } = request;
  const identity = { sourceSessionId: session.sessionId, newSessionId: sessionId, at, staleFrom };
  return planClone(lines, source.name, identity, toolRemoval);
}

function endingOf({ traits, request, sessionId }: FileClone, lines: SessionLines): Buffer {
  return Buffer.from(traits.endingOf?.(request, lines, sessionId) ?? '');
}

/** Takes no lock: the session may be in use, and its finished lines do not change. */
async function makeClone(clone: FileClone): Promise<Written> {
  const { request, traits, source, path, sessionId, entry } = clone;
  await makeFolder(dirname(path));
  let ending: Buffer = Buffer.alloc(0);
  const staged = await source.stage(path, (lines) => {
    ending = endingOf(clone, lines);
    return planFile(clone, lines);
  });
  const { temp, plan, before } = staged;
  let written = temp;
  let isNamed = false;
  let belongings: CopiedFiles | undefined;
  let isOver: (() => void) | undefined;
  let removeNote: (() => void) | undefined;
  try {
    reportProgress({ step: 'verify', text: 'Verifying the clone' });
    const after = await scanTranscriptFile(temp, undefined, before);
    const fault = staged.findFault(after);
    if (fault !== undefined) throw cloneNotAsPlanned(fault);
    reportProgress({ step: 'swap', text: 'Naming the clone' });
    // Behind what was verified line for line against the original.
    await append(temp, ending);
    if (existsSync(path)) throw alreadyThere(path);
    belongings = await traits.copyBelongings?.(request, sessionId);
    // A clone that has its name gets its entry too.
    isOver = deferEnding();
    if (entry !== undefined || belongings !== undefined) {
      const note = { sessionId, temp, path, indexPath: entry?.indexPath, history: belongings?.saved };
      removeNote = await noteClone(dirname(request.session.path), note);
    }
    // Before the transcript, which is what makes it a session.
    await belongings?.publish();
    await publish(temp, path);
    written = path;
    await syncFolder(dirname(path));
    isNamed = true;
    // Last of all, so that the index never names a file that does not exist.
    await entry?.register();
    return { plan, sizeBefore: before.byteLength, sizeAfter: after.byteLength + ending.length };
  } catch (error) {
    if (!isNamed || !(await entry?.isMade())) {
      await unlink(written).catch(() => {});
      await belongings?.discard().catch(() => {});
    }
    throw error;
  } finally {
    removeNote?.();
    isOver?.();
  }
}

async function append(path: string, ending: Buffer): Promise<void> {
  if (ending.length === 0) return;
  const file = await open(path, 'a');
  try {
    await file.writeFile(ending);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Gives the clone its name, and takes it from no other file. */
async function publish(temp: string, path: string): Promise<void> {
  try {
    if (!linkNew(temp, path)) return await rename(temp, path);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? alreadyThere(path) : error;
  }
  // The clone has its name, whatever becomes of its first one.
  await unlink(temp).catch(() => {});
}

function alreadyThere(path: string): OpenBotError {
  return new CloneOperationError(`Failed to write ${path}: it already exists`, {
    hint: 'Nothing was changed. Name another file with --output, or move that one away.',
  });
}

/** Files that are no sessions have names of their own, and programs judge a file by its name. */
function assertFreeName(path: string): void {
  const name = basename(path).toLowerCase();
  const { kind } = classifySessionFileName(name);
  const isSession = kind === 'transcript' || kind === 'topic-transcript' || kind === 'other';
  if (isSession && !OTHER_NAMES.test(name)) return;
  throw new OpenBotError(
    'USAGE',
    `A clone cannot be named ${basename(path)}: that is the name of ${NAMED[kind] ?? 'another kind of file'}`,
    { hint: 'Name another file with --output, such as copy.jsonl' },
  );
}

/** Databases, journals of occ, indexes and settings of the programs whose folders these are. */
const OTHER_NAMES =
  /\.occ\.json$|\.(?:sqlite|db)(?:-wal|-shm|-journal)?$|^(?:sessions-index|openclaw|auth-profiles|settings|models)\.json$/;

const NAMED: Readonly<Partial<Record<string, string>>> = {
  store: 'an index of sessions',
  lock: 'a lock',
  backup: 'a backup',
  archive: 'an archive',
  temp: 'a file that is not finished',
};
