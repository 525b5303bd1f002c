import {
  applyResetModelOverride,
  initSessionState,
  type MsgContext,
  type SessionEntry,
  type StoredSession,
} from '@openbot/sessions';
import { isGroupType } from '@openbot/sessions/key';
import { mayCommand } from '../access/senders.ts';
import { findNormalizeId } from '../channels/spellings.ts';
import { isMachineZone } from '../config/machine-zone.ts';
import { type ModelRef, resolveModel } from '../config/models.ts';
import type { Turn } from './open-turn.ts';

/** The session that a turn runs in. */
export interface TurnSession {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly entry: SessionEntry;
  readonly isNewSession: boolean;
  readonly isGroup: boolean;
  /** What the person wrote to the agent. */
  readonly body: string;
  /** The message began it, with `/new` or another of the words for it. */
  readonly isReset?: boolean;
  /** When the entry has this message. Nothing but the end of the turn waits for it. */
  readonly written: Promise<unknown>;
  /** Fields of the entry that hold for this run alone. They are in `entry` too. */
  readonly hinted?: Partial<SessionEntry>;
  /** For the agent: what was changed when the session began. */
  readonly notices: readonly string[];
}

/** Finds or begins the session, and sets the model that a reset asks for (`/new opus hello`). */
export async function initSession(turn: Turn, ctx: MsgContext): Promise<TurnSession> {
  const { tools, work, agent, models, sessions } = turn;
  const now = () => turn.startedAt;
  let written: Promise<unknown> = Promise.resolve();
  // A `/new` that its sender takes back resets nothing.
  if (tools.kindOf(turn.message) !== 'text') await work.begun;
  const [session] = await Promise.all([
    initSessionState({
      ctx: { ...ctx, SessionKey: work.sessionKey },
      cfg: tools.config,
      commandAuthorized: mayCommand(tools.config, turn.message.identity, ctx),
      allowFrom: [],
      normalizeId: findNormalizeId(turn.message.identity.channel),
      ...sessions,
      timeZone: isMachineZone(agent.userTimezone) ? undefined : agent.userTimezone,
      now,
      onWriting: (writing) => {
        written = writing;
        // A turn that fails before it looks would end the process.
        written.catch(() => {});
      },
    }),
    work.begun,
  ]);
  const { sessionKey, sessionId, isNewSession, isGroup, resetTriggered, sessionCtx } = session;
  const { defaultProvider, defaultModel, aliasIndex } = models;
  // Read now: the entry is changed in place.
  const { providerOverride = defaultProvider, modelOverride = defaultModel } = session.sessionEntry;
  const { selection, sessionEntry = session.sessionEntry } = await applyResetModelOverride({
    resetTriggered,
    bodyStripped: session.bodyStripped,
    sessionCtx,
    sessionEntry: session.sessionEntry,
    sessionKey,
    ...sessions,
    defaultProvider,
    defaultModel,
    aliasIndex,
    otherModels: resetTriggered ? await findNamed(turn, session.bodyStripped) : [],
    now,
  });
  const entry = await keepWishes(turn, sessionKey, sessionEntry);
  const isSwitched =
    selection !== undefined && (selection.provider !== providerOverride || selection.model !== modelOverride);
  return {
    sessionKey,
    sessionId,
    entry,
    isNewSession,
    isGroup,
    isReset: resetTriggered,
    body: sessionCtx.BodyStripped ?? '',
    written,
    notices: isSwitched
      ? [`Model switched. ${selection.provider}/${selection.model} answers from now on.`]
      : [],
  };
}

/** The model that the first word names as `provider/model`, where a runner has it: the configuration need not name it. */
async function findNamed({ tools, models }: Turn, text: string | undefined): Promise<readonly ModelRef[]> {
  const [word = ''] = /\S+/.exec(text ?? '') ?? [];
  if (!word.includes('/')) return [];
  const ref = resolveModel(word, models);
  // Most words with a slash are paths and addresses, and to load a runner takes long.
  if (!tools.isProvider(ref.provider)) return [];
  const runner = await tools.findRunner(ref.provider);
  // Where pi is not installed its runner describes whatever it is asked for, and lists nothing.
  const listed = runner?.listModels?.();
  if (listed === undefined) return [];
  const isNamed = (model: string) => model.toLowerCase() === ref.model.toLowerCase();
  const named = listed.find(({ provider, model }) => provider === ref.provider && isNamed(model));
  if (named !== undefined) return [named];
  return runner!.describeModel(ref.provider, ref.model) === undefined ? [] : [ref];
}

/** What a message sets for its session, and not only for its own run. */
async function keepWishes(turn: Turn, sessionKey: string, entry: SessionEntry): Promise<SessionEntry> {
  const { thinkingLevel = entry.thinkingLevel, verboseLevel = entry.verboseLevel } = turn.message.wish ?? {};
  if (thinkingLevel === entry.thinkingLevel && verboseLevel === entry.verboseLevel) return entry;
  const changed = { thinkingLevel, verboseLevel };
  await turn.sessions.store.update(sessionKey, (stored) => stored && { ...stored, ...changed });
  return { ...entry, ...changed };
}

/** The session of a run that was cut off: it goes on in the session that it began in, whatever the time is now. */
export async function resumeSession(turn: Turn, { key, entry }: StoredSession): Promise<TurnSession> {
  await turn.work.begun;
  return {
    sessionKey: key,
    sessionId: entry.sessionId,
    entry: { ...entry },
    isNewSession: false,
    isGroup: isGroupType(entry.chatType),
    body: '',
    written: Promise.resolve(),
    notices: [],
  };
}
