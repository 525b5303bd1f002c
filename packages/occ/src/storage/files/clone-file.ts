import { constants, existsSync } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OpenBotError, scanTranscriptFile, type Transcript } from '@openbot/sessions';
import { giveToFolderOwner, linkNew, makeFolder, makeLeftoverPath, syncFolder } from '@openbot/sessions/disk';
import { asciiJson, type FieldValue, LineCopier } from '@openbot/sessions/rewrite';
import { scanOpenTranscript } from '@openbot/sessions/transcript';
import type { LineEdit } from '../../clean/line-edit.ts';
import type { CleanPlan } from '../../clean/plan.ts';
import { planClean } from '../../clean/plan-clean.ts';
import type { ResolvedToolRemovalOptions } from '../../clean/tool-removal.ts';
import { applyPlan, makeLineReader, measurePlan } from '../../rewrite/apply-plan.ts';
import { assertCloneable } from '../../rewrite/open-session.ts';
import { findFault } from '../../rewrite/verify-clean.ts';
import { cloneTitleLine } from './clone-title.ts';
import { type CopiedHistory, copyFileHistory, type HistoryCopy } from './file-history.ts';
import type { SavedFiles } from './killed-clones.ts';

export interface FileClone {
  readonly path: string;
  readonly sourceSessionId: string;
  readonly newSessionId: string;
  readonly targetPath: string;
  /** Left out: an exact copy but for the id. */
  readonly options?: ResolvedToolRemovalOptions;
  /** Of a Claude Code session: the saved files that the clone gets too. */
  readonly history?: HistoryCopy;
  /** Of a Claude Code session: what the person called the original. */
  readonly title?: string;
  readonly at: Date;
  readonly dryRun?: boolean;
  /** Called when the clone is whole and about to get its name. */
  readonly beforeNaming?: (ready: ReadyClone) => Promise<void>;
}

/** A clone that is whole under a name that nobody looks for. */
export interface ReadyClone {
  readonly temp: string;
  readonly history?: SavedFiles;
}

export interface FileCloneResult {
  readonly plan: CleanPlan;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
}

/** Nothing is old enough. */
export const KEEP_ALL: ResolvedToolRemovalOptions = {
  keepTurnsWithTools: Number.MAX_SAFE_INTEGER,
  truncatePercent: 0,
};

/**
 * Writes a copy of a session under a new id: a new file that gets its name when it is whole and verified. Takes no lock: the
 * session may be in use, and its finished lines do not change.
 */
export async function cloneSessionFile(clone: FileClone): Promise<FileCloneResult> {
  if (existsSync(clone.targetPath)) throw alreadyThere(clone.targetPath);
  const source = await open(clone.path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const transcript = await scanOpenTranscript(source, clone.path);
    assertCloneable(transcript, clone.path);
    const readLine = makeLineReader(source, transcript);
    const plan = planClean(transcript, clone.options ?? KEEP_ALL, readLine);
    const renamed = {
      isRemoved: plan.isRemoved,
      lonely: plan.lonely,
      editOf: withNewId(transcript, plan, clone),
    };
    const sizeBefore = transcript.byteLength;
    const titleLine = Buffer.from(titleLineOf(clone, transcript, readLine));
    if (clone.dryRun) {
      return {
        plan,
        sizeBefore,
        sizeAfter: (await measurePlan(transcript, renamed, readLine)) + titleLine.length,
      };
    }
    const sizeAfter = await writeClone(clone, source, transcript, renamed, readLine, titleLine);
    return { plan, sizeBefore, sizeAfter };
  } finally {
    await source.close();
  }
}

type ClonePlan = Pick<CleanPlan, 'isRemoved' | 'editOf' | 'lonely'>;

async function writeClone(
  clone: FileClone,
  source: FileHandle,
  transcript: Transcript,
  plan: ClonePlan,
  readLine: (index: number) => string,
  titleLine: Buffer,
): Promise<number> {
  const { targetPath } = clone;
  await makeFolder(dirname(targetPath));
  const temp = makeLeftoverPath(targetPath, 'tmp');
  let at = temp;
  const target = await open(temp, 'wx', 0o600);
  giveToFolderOwner(target.fd, targetPath);
  let history: CopiedHistory | undefined;
  try {
    let size: number;
    try {
      const copier = new LineCopier(source, target);
      await applyPlan(copier, transcript, plan, readLine);
      // What is appended to a line without an end would be lost with it.
      if (!transcript.terminated) await copier.put(Buffer.from('\n'));
      await copier.flush();
      await target.sync();
      size = (await target.stat()).size;
    } finally {
      await target.close();
    }
    const fault = findFault(transcript, await scanTranscriptFile(temp), plan);
    if (fault !== undefined) throw cloneNotAsPlanned(fault);
    size += await appendTitle(temp, titleLine);
    if (existsSync(targetPath)) throw alreadyThere(targetPath);
    history = clone.history === undefined ? undefined : await copyFileHistory(clone.history);
    await clone.beforeNaming?.({ temp, history: history?.saved });
    // Before the transcript, which is what makes it a session.
    await history?.publish();
    await publishClone(temp, targetPath);
    at = targetPath;
    await syncFolder(dirname(targetPath));
    return size;
  } catch (error) {
    await unlink(at).catch(() => {});
    await history?.discard().catch(() => {});
    throw error;
  }
}

/** Claude Code lists sessions by title: the clone gets one of its own. The others know no such line, or keep it elsewhere. */
function titleLineOf(
  { title, options, newSessionId }: FileClone,
  transcript: Transcript,
  readLine: (index: number) => string,
): string {
  if (transcript.dialect !== 'claude-code') return '';
  return cloneTitleLine({ title, isCleaned: options !== undefined, transcript, readLine, newSessionId });
}

/** Behind what was verified line for line against the original. */
async function appendTitle(path: string, line: Buffer): Promise<number> {
  if (line.length === 0) return 0;
  const file = await open(path, 'a');
  try {
    await file.writeFile(line);
    await file.sync();
  } finally {
    await file.close();
  }
  return line.length;
}

/** Gives the clone its name, and takes it from nobody else. */
export async function publishClone(temp: string, path: string): Promise<void> {
  try {
    if (!linkNew(temp, path)) return await rename(temp, path);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? alreadyThere(path) : error;
  }
  // The clone is there, whatever becomes of its first name.
  await unlink(temp).catch(() => {});
}

/** In OpenClaw's and pi's files the header holds the session's id; in Claude Code's every line does. */
export function withNewId(
  transcript: Transcript,
  plan: CleanPlan,
  clone: Pick<FileClone, 'newSessionId' | 'sourceSessionId' | 'at'>,
): CleanPlan['editOf'] {
  const id = asciiJson(clone.newSessionId);
  if (transcript.dialect === 'claude-code') {
    return (index) =>
      transcript.isJson(index) ? withFields(plan.editOf(index), [['sessionId', id]]) : undefined;
  }
  const header = findHeader(transcript);
  const ownFields = new Map([
    ['id', id],
    ['clonedFrom', asciiJson(clone.sourceSessionId)],
    ['clonedAt', asciiJson(clone.at.toISOString())],
  ]);
  return (index) => (index === header ? { ...plan.editOf(index), ownFields } : plan.editOf(index));
}

function findHeader(transcript: Transcript): number {
  for (let i = 0; i < transcript.length; i++) if (transcript.kindOf(i) === 'header') return i;
  return -1;
}

function withFields(edit: LineEdit | undefined, fields: readonly [string, FieldValue][]): LineEdit {
  return { ...edit, fields: new Map([...(edit?.fields ?? []), ...fields]) };
}

export function alreadyThere(path: string): OpenBotError {
  return new OpenBotError('CLONE_FAILED', `Failed to write ${path}: it exists already`, {
    hint: 'Nothing was changed. Name another file with --output, or move that one away.',
  });
}

export function cloneNotAsPlanned(fault: string): OpenBotError {
  return new OpenBotError('CLONE_FAILED', `The clone did not read back as planned: ${fault}`, {
    hint: 'It was removed. The session was rewritten at the same time, or the disk is failing; try again.',
  });
}
