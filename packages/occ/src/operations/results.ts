import type { PlanStatistics, PlanTokens } from '../clean/plan.ts';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import type { SearchWarning } from '../finding/search-warning.ts';
import type { DroppedThinking } from '../rewrite/dropped-thinking.ts';
import type { RestoredContext } from '../rewrite/restored-context.ts';
import type { FoundBy, FoundSession, SourceName } from '../storage/contract/found-session.ts';
import type { FiguresResult } from '../storage/contract/use.ts';
import type { RotatedOut } from './describe-rotation.ts';
import type { FoundFields } from './found-fields.ts';

export interface EditStatistics {
  messagesOriginal: number;
  messagesAfter: number;
  toolCallsOriginal: number;
  toolCallsRemoved: number;
  toolCallsTruncated: number;
  toolCallsPreserved: number;
  /** Results without a call that were removed; left out where none was. */
  orphanedResultsRemoved?: number;
  /** Outputs in people's lines (commands, background agents, named files) that were shortened; left out where none was. */
  toolOutputsTruncated?: number;
  /** Blocks of thinking that went; left out where none did. */
  thinkingRemoved?: number;
  /** Those of them that went because what they are bound to changed; left out where none did. */
  thinkingUnbound?: number;
  sizeOriginal: number;
  sizeAfter: number;
  /** Of the file, in whole percent. */
  reductionPercent: number;
}

/** What `occ edit --json` prints. */
export interface EditResult extends FoundFields, RotatedOut {
  success: true;
  mode: 'edit';
  sessionId: string;
  /** Absent when nothing was changed. */
  backupPath?: string;
  statistics: EditStatistics;
  tokens: PlanTokens;
  /** Blocks of thinking that an earlier rewrite left behind changed lines; all from the first of them on goes. */
  staleThinking?: number;
  changed: boolean;
  /** The edit waits, detached, for the run in progress to end. */
  scheduled?: true;
  dryRun?: true;
  /** Why nothing was changed, or what the reader should know, in one sentence. */
  note?: string;
  /** Indexes and databases that could not be read on the way to the session. */
  warnings?: readonly SearchWarning[];
}

export interface CloneStatistics {
  messagesOriginal: number;
  messagesCloned: number;
  toolCallsOriginal: number;
  toolCallsRemoved: number;
  toolCallsTruncated: number;
  toolCallsPreserved: number;
  /** Results without a call that were removed; left out where none was. */
  orphanedResultsRemoved?: number;
  /** Outputs in people's lines (commands, background agents, named files) that were shortened; left out where none was. */
  toolOutputsTruncated?: number;
  /** Blocks of thinking that went; left out where none did. */
  thinkingRemoved?: number;
  /** Those of them that went because what they are bound to changed; left out where none did. */
  thinkingUnbound?: number;
  sizeOriginal: number;
  sizeCloned: number;
  reductionPercent: number;
}

/** What `occ clone --json` prints. */
export interface CloneResult extends Omit<FoundFields, 'sessionKey'> {
  success: true;
  mode: 'clone';
  sourceSessionId: string;
  /** OpenClaw only: the key of the session that was cloned. */
  sourceSessionKey?: string;
  /** The backup or original that was cloned, where the path of one was given. */
  sourceBackupPath?: string;
  /** Absent in a dry run, as all that there is of a clone only. */
  clonedSessionId?: string;
  clonedSessionPath?: string;
  /** Under which the index knows the clone; absent with --no-register and where there is no index. */
  sessionKey?: string;
  /** Why an OpenClaw session is in no index although --no-register was not given. */
  note?: string;
  statistics: CloneStatistics;
  tokens: PlanTokens;
  resumeCommand?: string;
  dryRun?: true;
  changed?: false;
  /** Indexes and databases that could not be read on the way to the session. */
  warnings?: readonly SearchWarning[];
}

/** What `occ restore --json` prints. */
export interface RestoreResult extends FoundFields, RotatedOut {
  success: true;
  mode: 'restore';
  sessionId: string;
  restoredFrom: string;
  /** The state before the restore: restoring from this undoes it. */
  backupPath: string;
  /** Lines said since the edit, which follow the restored ones. */
  linesKept: number;
  /**
   * Blocks of thinking that went from these lines, since other lines than those that they are bound to come before them
   * now; left out where none went.
   */
  thinkingUnbound?: number;
  sizeBefore: number;
  sizeAfter: number;
  /** What the model will be given at its next call. */
  context: RestoredContext;
  /** What the reader should know, in one sentence. */
  note?: string;
  /** Indexes and databases that could not be read on the way to the session. */
  warnings?: readonly SearchWarning[];
}

export interface BackupInfo {
  /** 0 for the original. */
  number: number;
  path: string;
  sizeBytes: number;
  /** Milliseconds. */
  createdAt: number;
  /** What the session was about to go through when this backup was made. */
  madeBefore: 'edit' | 'restore' | 'unknown';
  /** The first state, compressed: `--original` restores it. `sizeBytes` is its size unpacked. */
  original?: true;
}

/** What a report needs beside the result itself. */
export interface EditOutcome {
  readonly result: EditResult;
  readonly session: FoundSession;
  readonly foundBy: FoundBy;
  readonly plan: PlanStatistics;
  readonly options: ResolvedToolRemovalOptions;
  readonly presetName: string | undefined;
}

export interface CloneOutcome {
  readonly result: CloneResult;
  readonly session: FoundSession;
  readonly foundBy: FoundBy;
  readonly plan: PlanStatistics;
  readonly options: ResolvedToolRemovalOptions;
}

export interface RestoreOutcome {
  readonly result: RestoreResult;
  readonly session: FoundSession;
  readonly foundBy: FoundBy;
}

/** What `occ info --json` prints. */
export interface SessionInfo extends FoundFields {
  sessionId: string;
  source: SourceName;
  path: string;
  sizeBytes: number;
  /** `other`: notes of extensions, output of commands that a person ran, summaries. The parts add up to `total`. */
  messages: { total: number; user: number; assistant: number; toolResult: number; other: number };
  turns: { total: number; withTools: number };
  toolCalls: { total: number; byTool: Record<string, number> };
  tokens: { context: number; basis: string; byKind: Record<string, number>; byTool: Record<string, number> };
  compactions: number;
  /** How full the model's context window is; absent where it is not known. */
  window?: { tokens: number; percent: number };
  presets: Record<string, { tokensAfter: number; toolCallsRemoved: number; toolCallsTruncated: number }>;
  /** Calls of more than `over` characters that the preset `default` leaves whole, and what `--truncate-over` would free with it. */
  largeCalls?: { over: number; calls: number; tokens: number };
  /** Lines that are no JSON; they are kept as they are. */
  brokenLines?: number;
  /**
   * Blocks of thinking that the provider refuses or leaves out, since a rewrite changed what they are bound to; left out
   * where there are none. The next edit removes them.
   */
  staleThinking?: number;
  /** What the provider left out of requests, where answers record it. */
  droppedThinking?: DroppedThinking;
  /** What the last scheduled edit came to. */
  lastScheduledEdit?: ScheduledEditReport;
  /** Indexes and databases that could not be read on the way to the session. */
  warnings?: readonly SearchWarning[];
}

export interface ScheduledEditReport {
  state: 'waiting' | 'done' | 'failed';
  requestedAt: string;
  finishedAt?: string;
  /** The edit itself was made at once, during a run: this is of the figures that are corrected after the run. */
  corrects?: 'figures';
  result?: EditResult | FiguresResult;
  error?: { code: string; message: string; hint?: string };
}
