import type { Stats } from 'node:fs';
import type { OpenBotError } from '@openbot/sessions';
import type { TranscriptHead } from './finding.ts';
import type { FoundSession, SearchScope, SourceName } from './found-session.ts';
import type { LocatedSession } from './located-session.ts';
import type { SessionStorage } from './storage.ts';

/** A program whose sessions occ finds, in one storage or several. */
export interface SessionSource {
  readonly name: SourceName;
  readonly title: string;
  readonly storages: readonly SessionStorage[];
  readonly shell: AgentShell;
  /** Whether this user has sessions of it, judged by folders alone. */
  exists(scope: SearchScope): boolean;
  /** The folder that has all sessions of the scope in it, or below. */
  rootOf(scope: SearchScope): string;
  /** Whether the environment or the configuration names its folder, whether or not that exists. */
  isNamed?(scope: SearchScope): boolean;
  /** The given flags that have a meaning for this source alone. */
  givenFlags?(scope: SearchScope): readonly string[];
  /**
   * The sessions of the scope, each once, in any order. Reads names, file states, indexes and databases, but no
   * transcript.
   * @param opened how many of the newest the caller will open
   */
  locate(scope: SearchScope, opened?: number): LocatedSession[];
  /** The agents whose sessions `locate` gives. Absent for a program without agents. */
  agentIds?(scope: SearchScope): readonly string[];
  /** The scope to search for a session key, where that names one of the agents. */
  scopeOfKey?(scope: SearchScope, key: string): SearchScope | undefined;
  /** Where `locate` looks, for messages. */
  searchedPaths(scope: SearchScope): readonly string[];
  /** Sentences that help further where `locate` found nothing. */
  adviseOnNone?(scope: SearchScope): readonly string[];
  /** The folders whose backups may be of sessions that are gone. */
  sessionsFolders(scope: SearchScope): readonly string[];
  /** The sessions that may run the calling command. Absent where the shell names its session. */
  locateCallers?(scope: SearchScope): LocatedSession[];
  /** Which sessions belong to the working folder. Absent where the current session may be of any folder. */
  ofWorkingFolder?(scope: SearchScope): WorkingFolder;
  /** Whether a file is a transcript of this source; undefined where nothing says so. */
  recognise(path: string, head: TranscriptHead | undefined, scope: SearchScope): Recognition | undefined;
  /** The session of a file that was recognised. */
  locateAt(
    path: string,
    file: { readonly stats: Stats; readonly head: TranscriptHead | undefined },
    scope: SearchScope,
  ): LocatedSession;
  /** The session whose transcript had this path before its program moved it into a database. */
  locateMoved?(path: string): LocatedSession | undefined;
  /** Whether a file is one that holds many sessions. */
  isContainer?(path: string): boolean;
  openContainer?(path: string): SessionContainer;
  /** What a session would be whose transcript is gone. */
  describeGone(
    transcriptPath: string,
    head: TranscriptHead | undefined,
    scope: SearchScope,
  ): FoundSession & { readonly missing: true };
}

/** How a source knows a transcript, the surest first. */
export const RECOGNITIONS = ['certain', 'folder', 'name', 'dialect'] as const;
type Recognition = (typeof RECOGNITIONS)[number];

export interface SessionContainer {
  /** Those with a transcript, newest first. */
  readonly sessions: readonly LocatedSession[];
  /** How to address one of several. */
  readonly advice: string;
}

/** The shells in which an agent of this source runs commands. */
interface AgentShell {
  /** If any of them is set, the command runs in such a shell. */
  readonly variables: readonly string[];
  /** Holds the id of the session that the shell belongs to. */
  readonly sessionVariable?: string;
  /** How an agent learns the name of its own session. */
  readonly advice: string;
}

interface WorkingFolder {
  /** Judged without opening it. */
  mayHave(located: LocatedSession): boolean;
  has(session: FoundSession): boolean;
  /** The error where the source has sessions, but none of this folder. */
  none(): OpenBotError;
}
