import type { Transcript } from '@openbot/sessions';
import type { CleanPlan } from '../../../clean/plan.ts';
import type { CloneRequest, SessionLines } from '../../contract/rewriting.ts';
import type { SavedFiles } from './killed-clones.ts';

/** In what the clones of the storages in files differ. */
export interface CloneTraits {
  fileName(sessionId: string, at: Date): string;
  /** The id that a clone must have in order to be found under a name. */
  idIn?(path: string): string | undefined;
  /** The entry in an index; undefined where the clone gets none. */
  entryOf?(request: CloneRequest, clone: CloneFile): CloneEntry | undefined;
  /** Why the clone has no entry. */
  explainNoEntry?(request: CloneRequest): string | undefined;
  /** Files that belong to the transcript and get their names before it. */
  copyBelongings?(request: CloneRequest, sessionId: string): Promise<CopiedFiles | undefined>;
  /** Lines that are appended to the clone. */
  endingOf?(request: CloneRequest, lines: SessionLines, sessionId: string): string;
  resumeCommand(
    clone: CloneFile & { readonly isRegistered: boolean },
    request: CloneRequest,
  ): string | undefined;
}

export interface CloneFile {
  readonly sessionId: string;
  readonly path: string;
}

export interface CloneEntry {
  readonly key: string;
  readonly indexPath: string;
  /** Throws where the index cannot be read, so that it could not take the entry. */
  assertReadable(): void;
  register(): Promise<void>;
  /** Whether the index names the clone after a failure, and cannot be changed: its file must stay then. */
  isMade(): Promise<boolean>;
}

/** Files that are ready under another name. */
export interface CopiedFiles {
  /** As they will be named. */
  readonly saved: SavedFiles;
  publish(): Promise<void>;
  discard(): Promise<void>;
}

/** Where the lines of a clone come from. */
export interface LineSource {
  /** For messages. */
  readonly name: string;
  /** Reads them and writes nothing. */
  read<T>(use: (lines: SessionLines) => T): Promise<T>;
  /** Writes them as planned to a new file, which is on disk then and has yet to get the name `path`. */
  stage(path: string, plan: (lines: SessionLines) => CleanPlan): Promise<StagedClone>;
}

interface StagedClone {
  readonly temp: string;
  readonly plan: CleanPlan;
  /** What was cloned. */
  readonly before: Transcript;
  /** What is wrong with the file as it reads back, in one sentence; undefined where it is as planned. */
  findFault(after: Transcript): string | undefined;
}
