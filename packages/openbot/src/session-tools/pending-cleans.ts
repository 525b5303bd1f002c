import { resolveSessionFilePath, type SessionEntry, type SessionStore } from '@openbot/sessions';
import type { Inbox } from '../inbox/contract.ts';
import { addressOf, findSession, type SessionsOfAgent } from '../session-address.ts';
import type { CleanChoice, Transcripts } from '../transcripts/contract.ts';

/** Has a turn clean its context when it has ended: a run reads its transcript. The last one of a turn counts. */
export async function planClean(
  store: SessionStore,
  sessionKey: string,
  { turnId, preset, keep }: CleanChoice & { readonly turnId: string },
): Promise<void> {
  const pendingClean: SessionEntry['pendingClean'] = { turnId, preset, keep };
  await store.update(sessionKey, (entry) => entry && { ...entry, pendingClean });
}

/**
 * The turn has ended and its session is still locked: does what was planned in it, also before a crash. The next turn reads
 * what came of it. Does not fail.
 */
export async function carryOutClean(
  parts: {
    readonly inbox: Inbox;
    readonly transcripts: Transcripts;
    readonly sessions: SessionsOfAgent;
    readonly stateDir: string;
    now(): number;
  },
  { turnId, sessionKey }: { readonly turnId: string; readonly sessionKey: string },
): Promise<void> {
  const { inbox, transcripts, sessions, stateDir, now } = parts;
  const { agentId } = sessions;
  const found = await findSession(sessions, sessionKey).catch(() => undefined);
  const wanted = found?.entry.pendingClean;
  if (found === undefined || wanted?.turnId !== turnId) return;
  const { sessionId, sessionFile } = found.entry;
  const choice = { preset: wanted.preset, keep: wanted.keep } as CleanChoice;
  const ref = {
    agentId,
    sessionKey: found.key,
    sessionId,
    sessionFile: resolveSessionFilePath(sessionId, { sessionFile }, { agentId, stateDir }),
    // Of transcripts that are made; this one is there.
    cwd: stateDir,
  };
  let lastClean: SessionEntry['lastClean'];
  const text = await transcripts.clean(ref, choice).then(
    ({ changed, savedTokens }) => {
      if (!changed) return 'Your context was not cleaned: there were no old tool calls or results to remove.';
      lastClean = { at: now(), savedTokens, preset: choice.preset, turnId };
      return `Your context was cleaned: about ${savedTokens} tokens of old tool calls and results were removed. A backup was made.`;
    },
    (error: Error) => `Your context was not cleaned: ${error.message}`,
  );
  await sessions.store
    .update(
      found.key,
      (entry) => entry && { ...entry, pendingClean: undefined, ...(lastClean && { lastClean }) },
    )
    .catch(() => {});
  await inbox.addEvent(addressOf({ agentId, sessionKey }), { text, at: now() }).catch(() => {});
}
