import { dirname, join } from 'node:path';
import type { Transcript } from '@openbot/sessions';
import { describeOpenClaude, findOpenClaude } from '@openbot/sessions/disk';
import { decideUse, describeUse, noteOfMemory, type UseFlags } from '../in-use/decide-use.ts';
import { findUse } from '../in-use/in-use.ts';
import type { OwnRun, SessionUse } from '../in-use/session-use.ts';
import { waitUntilIdle } from '../in-use/wait-until-idle.ts';
import type { FoundBy, FoundSession, SourceName } from '../storage/contract/found-session.ts';

export interface UseQuestion {
  readonly path: string;
  readonly sessionId: string;
  readonly source: SourceName;
  /** What the file holds, where that is known. */
  readonly transcript?: Transcript;
  /** See `ownRunOf`. */
  readonly ownRun: OwnRun;
  readonly flags: UseFlags;
}

export type SettledUse =
  /** `waited`: the file may have changed meanwhile and must be read again. `note`: what the reader should know. */
  | { readonly act: 'go'; readonly waited: boolean; readonly note?: string }
  | { readonly act: 'schedule'; readonly note: string; readonly use: SessionUse };

/** Finds out who uses a session and does what was asked for about it. Throws OpenBotError when that is to refuse. */
export async function settleUse(question: UseQuestion): Promise<SettledUse> {
  const { path, sessionId, transcript, ownRun, flags } = question;
  // Claude Code takes no lock; the others do, and open the file for the time of a write only.
  const use = await findUse(path, { transcript, ownRun, isLocked: question.source !== 'claude' });
  const decision = decideUse(use, sessionId, flags);
  if (decision.act === 'go') return { ...noteOpen(question), ...decision, waited: false };
  if (decision.act === 'refuse') throw decision.error;
  if (decision.act === 'schedule') return { act: 'schedule', note: decision.note, use: use! };
  const outcome = await waitUntilIdle(path, {
    waitMs: decision.ms,
    quietMs: decision.quietMs,
    ignoreUnfinished: flags.force,
  });
  if (outcome.state === 'in-use') throw describeUse(outcome.use, sessionId, flags.canSchedule);
  return { act: 'go', waited: true, ...noteOpen(question) };
}

/** Claude Code takes no lock, but it publishes which session it has open. */
function noteOpen({ path, sessionId, source }: UseQuestion): { note?: string } {
  if (source !== 'claude') return {};
  const open = findOpenClaude(join(dirname(path), '..', '..'), sessionId);
  if (open === undefined) return {};
  return { note: noteOfMemory(`Claude Code has it open (${describeOpenClaude(open)}) and`) };
}

/** Whether the session is the one whose run called this command. */
export function ownRunOf(
  session: Pick<FoundSession, 'source' | 'sessionId'>,
  foundBy: FoundBy,
  env: Readonly<Record<string, string | undefined>>,
): OwnRun {
  if (session.source === 'claude')
    return env.CLAUDE_CODE_SESSION_ID === session.sessionId ? 'survives' : 'no';
  if (foundBy !== 'calling-command') return 'no';
  return session.source === 'pi' ? 'survives' : 'aborts';
}
