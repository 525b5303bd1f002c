import { activePath } from '@openbot/sessions';
import {
  changeEntriesOfSession,
  compareProjections,
  inTransaction,
  isSameVersion,
  makeGeneration,
  type OpenclawDatabase,
  openDatabaseForWriting,
  readEntriesOfSession,
  readTranscriptVersion,
} from '@openbot/sessions/openclaw-database';
import { planLoweredUsage } from '@openbot/sessions/rewrite';
import { contextOf, estimateTokens, measureContext, withTranscriptLock } from '@openbot/sessions/transcript';
import { updateJournal } from '../../../backups/journal.ts';
import type { FiguresToCorrect } from '../../../backups/scheduled-edit.ts';
import { rewriteLine } from '../../../clean/rewrite-line.ts';
import { EditOperationError } from '../../../errors.ts';
import { type Counters, lowerCounters, readCounters } from '../../../rewrite/counters.ts';
import type { FoundSession } from '../../contract/found-session.ts';
import type { CorrectedFigures } from '../../contract/kept-state.ts';
import { type ReadSession, readSessionToRewrite } from '../readable-session.ts';
import { applyRewrite } from '../replace-rows.ts';
import { readUsage } from '../row-changes.ts';
import { transcriptPathOf } from '../transcript-path.ts';

type Correction =
  /** `generation`: of the rows as they are now. */
  | {
      readonly state: 'done';
      readonly generation: string;
      readonly tokens?: { before: number; after: number };
    }
  /** Somebody else rewrote the session. */
  | { readonly state: 'rewritten' }
  /** Somebody wrote at the same time; to be tried again. */
  | { readonly state: 'again' };

/** What a correction would do to the session as it is. */
interface PlannedCorrection {
  readonly session: ReadSession;
  readonly version: ReturnType<typeof readTranscriptVersion>;
  /** Of the context as it is computed. */
  readonly tokens: number;
  /** Of what is too high, the highest. */
  readonly tokensBefore: number;
  readonly lines: readonly number[];
  /** What the last answer's usage is to say. */
  readonly usageTokens: number;
  readonly corrected: CorrectedFigures;
}

/**
 * Lowers what a run wrote down at its end, the usage of its last answer and the counters, to what the edited session and
 * what was said since come to. Makes no backup: the newest one stays the state before the edit. What the figures were is
 * in the journal before they are changed.
 * @param generation of the rows as we left them
 */
export async function correctFigures(
  session: FoundSession,
  figures: FiguresToCorrect,
  generation: string,
  now: () => Date,
): Promise<Correction> {
  const path = transcriptPathOf(session);
  return withTranscriptLock(path, async () => {
    const database = openDatabaseForWriting(session.path, { force: figures.force });
    try {
      const planned = inTransaction(database, 'deferred', () => plan(database, session, figures, generation));
      if (planned === 'rewritten') return { state: 'rewritten' };
      const { corrected, tokens, tokensBefore } = planned;
      if (tokensBefore === 0) return { state: 'done', generation };
      await updateJournal(path, (journal) => ({
        ...journal,
        rewrites: journal.rewrites.map((record) =>
          record.backup === figures.backup
            ? { ...record, corrected: merge(record.corrected, corrected) }
            : record,
        ),
      }));
      const after = inTransaction(database, 'immediate', () => apply(database, session, planned, now()));
      if (after === undefined) return { state: 'again' };
      return { state: 'done', generation: after, tokens: { before: tokensBefore, after: tokens } };
    } finally {
      database.close();
    }
  });
}

/** Of usage what was there first is the recorded one; counters are written anew each time. */
function merge(before: CorrectedFigures | undefined, now: CorrectedFigures): CorrectedFigures {
  const counters = now.counters ?? before?.counters;
  return { usage: { ...now.usage, ...before?.usage }, counters };
}

function plan(
  database: OpenclawDatabase,
  { sessionId }: FoundSession,
  { calibration }: FiguresToCorrect,
  generation: string,
): PlannedCorrection | 'rewritten' {
  const version = readTranscriptVersion(database, sessionId);
  if (version.generation !== generation) return 'rewritten';
  const session = readSessionToRewrite(database, sessionId);
  const { transcript, readBytes } = session;
  const context = contextOf(transcript, activePath(transcript).entries);
  const tokens = Math.max(1, estimateTokens(calibration, measureContext(transcript, context).characters));
  const lowered = planLoweredUsage(transcript, context, calibration, (_, characters) => characters);
  const lines = lowered?.indices ?? [];
  const usage: Record<string, string> = {};
  let tokensBefore = 0;
  for (const index of lines) {
    tokensBefore = Math.max(tokensBefore, transcript.usageTokensOf(index));
    const [id, recorded] = [transcript.idOf(index), readUsage(readBytes(index))];
    if (id !== undefined && recorded !== undefined) usage[id] = recorded;
  }
  let counters: Counters | undefined;
  for (const entry of readEntriesOfSession(database, sessionId)) {
    if (lowerCounters(entry, tokens) === undefined) continue;
    tokensBefore = Math.max(tokensBefore, Number(entry.totalTokens));
    counters ??= readCounters(entry);
  }
  const corrected = { usage, counters };
  return { session, version, tokens, tokensBefore, lines, usageTokens: lowered?.tokens ?? 0, corrected };
}

/** @returns the generation of the rows from now on; undefined where they or the counters are not those of the plan */
function apply(
  database: OpenclawDatabase,
  { sessionId }: FoundSession,
  { session, version, tokens, lines, usageTokens, corrected }: PlannedCorrection,
  at: Date,
): string | undefined {
  if (!isSameVersion(version, readTranscriptVersion(database, sessionId))) return undefined;
  const raised = readEntriesOfSession(database, sessionId).find((entry) => lowerCounters(entry, tokens));
  if (JSON.stringify(raised && readCounters(raised)) !== JSON.stringify(corrected.counters)) return undefined;
  if (lines.length === 0) {
    changeEntriesOfSession(database, sessionId, (entry) => lowerCounters(entry, tokens));
    return version.generation!;
  }
  const { seqs, readLine } = session;
  const rewrite = (index: number) => rewriteLine(readLine(index), { contextTokens: usageTokens }, 'openclaw');
  const generation = makeGeneration();
  applyRewrite(database, {
    sessionId,
    before: session,
    changes: {
      removed: [],
      replaced: lines.map((index) => [seqs[index]!, Buffer.from(rewrite(index), 'latin1')] as const),
    },
    generation,
    now: at.getTime(),
    verify: (after, projection) => {
      const isLowered = lines.every((index) => after.transcript.usageTokensOf(index) === usageTokens);
      const difference = compareProjections(session.projection, projection);
      if (isLowered && difference === undefined && after.transcript.length === session.transcript.length)
        return;
      throw new EditOperationError('The corrected figures did not pass verification', {
        hint: 'Nothing was changed. The structure of this session is unknown.',
      });
    },
    changeEntry: (entry) => lowerCounters(entry, tokens),
  });
  return generation;
}
