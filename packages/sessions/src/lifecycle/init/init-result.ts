import type { SessionEntry } from '../../entry/session-entry.ts';
import type { GroupKeyResolution } from '../../key/group.ts';
import type { SessionScope } from '../../key/resolve.ts';
import type { TemplateContext } from '../../message/msg-context.ts';
import { readAgentText } from './command-text.ts';
import type { InitRequest } from './init-request.ts';

export interface SessionInitResult {
  /** The message, with what is left for the agent and the session it was put into. */
  sessionCtx: TemplateContext;
  sessionEntry: SessionEntry;
  /** The entry as it was, where this message ended the session before: by a trigger or because it was stale. */
  previousSessionEntry?: SessionEntry;
  /** The whole store after this message. Other entries than `sessionEntry` are frozen. */
  sessionStore: Record<string, SessionEntry>;
  /** The key under which the store has the session, which may be an older spelling. */
  sessionKey: string;
  sessionId: string;
  isNewSession: boolean;
  /** Whether the message asked for a new session. */
  resetTriggered: boolean;
  systemSent: boolean;
  abortedLastRun: boolean;
  storePath: string;
  sessionScope: SessionScope;
  groupResolution?: GroupKeyResolution;
  isGroup: boolean;
  /** What was written behind a reset trigger, in its own case. */
  bodyStripped?: string;
  /** The text for finding commands, in its own case. */
  triggerBodyNormalized: string;
}

/** What was decided and written for a message. */
export interface InitOutcome extends Pick<SessionInitResult, 'sessionKey' | 'isNewSession'> {
  /** The whole store after this message. */
  listStore(): SessionInitResult['sessionStore'];
  sessionEntry: SessionEntry;
  previous: SessionEntry | undefined;
}

export function describeInit(request: InitRequest, outcome: InitOutcome): SessionInitResult {
  const { sessionEntry, sessionKey, isNewSession, previous } = outcome;
  const { ctx, agent, sessionScope, groupResolution, isGroup, resetTriggered, bodyStripped } = request;
  const { sessionId } = sessionEntry;
  let sessionStore: SessionInitResult['sessionStore'] | undefined;
  // An optional field that does not apply is absent from the result, not undefined.
  return {
    sessionCtx: {
      ...ctx,
      BodyStripped: bodyStripped ?? readAgentText(ctx),
      SessionId: sessionId,
      IsNewSession: isNewSession ? 'true' : 'false',
    },
    sessionEntry,
    ...(previous && { previousSessionEntry: previous }),
    // Made when it is asked for: with many sessions it takes longer than the rest, and few callers need it.
    get sessionStore() {
      sessionStore ??= outcome.listStore();
      return sessionStore;
    },
    sessionKey,
    sessionId,
    isNewSession,
    resetTriggered,
    systemSent: sessionEntry.systemSent === true,
    abortedLastRun: sessionEntry.abortedLastRun === true,
    storePath: agent.storePath,
    sessionScope,
    ...(groupResolution && { groupResolution }),
    isGroup,
    ...(bodyStripped !== undefined && { bodyStripped }),
    triggerBodyNormalized: request.triggerBodyNormalized,
  };
}
