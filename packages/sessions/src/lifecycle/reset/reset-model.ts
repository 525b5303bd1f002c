import type { SessionEntry } from '../../entry/session-entry.ts';
import { OpenBotError } from '../../errors.ts';
import type { TemplateContext } from '../../message/msg-context.ts';
import type { SessionStore, StoredEntry } from '../../store/contract.ts';
import { openAgentSessions } from '../agent-sessions.ts';
import { type ClockParams, readClock } from '../clock.ts';
import { changeEntry } from '../entry-updates/change-entry.ts';
import { type ModelCatalogue, type ModelSelection, readModelHint } from './model-hint.ts';

interface ResetModelResult {
  selection?: ModelSelection;
  /** The message without the model's name. */
  cleanedBody?: string;
  /** The entry as it is now, where it could be written. */
  sessionEntry?: SessionEntry;
}

/**
 * Takes a model's name off a message that asked for a new session (`/new minimax summarize`) and sets it for that
 * session, in the store and in `sessionCtx`, `sessionEntry` and `sessionStore`. A `sessionEntry` that is frozen is
 * replaced in `sessionStore` and in the result. The default model is set by removing what was set before. A message that
 * begins with no model's name is left alone.
 */
export async function applyResetModelOverride(
  params: ClockParams & {
    /** Not read: taken so that OpenClaw's own callers fit. */
    cfg?: unknown;
    resetTriggered: boolean;
    bodyStripped?: string;
    sessionCtx: TemplateContext;
    /** The models to choose from. Default: those that the next four name. */
    catalogue?: ModelCatalogue;
    defaultProvider?: string;
    defaultModel?: string;
    aliasIndex?: ModelAliasIndex;
    /** Models without an alias. */
    otherModels?: readonly ModelRef[];
    sessionEntry?: SessionEntry;
    sessionStore?: Record<string, SessionEntry>;
    sessionKey?: string;
    storePath?: string;
    store?: SessionStore;
    agentId?: string;
  },
): Promise<ResetModelResult> {
  const { sessionCtx, sessionEntry, sessionKey, storePath } = params;
  const hint = params.resetTriggered
    ? readModelHint(params.bodyStripped ?? '', params.catalogue ?? catalogueOf(params))
    : undefined;
  if (hint === undefined) return {};
  const { selection, rest: cleanedBody } = hint;
  let written: SessionEntry | null = null;
  if (storePath !== undefined && sessionKey !== undefined) {
    const agent = openAgentSessions({ storePath, store: params.store, agentId: params.agentId });
    written = await changeEntry(agent, readClock(params), {
      sessionKey,
      sessionId: sessionEntry?.sessionId,
      isActivity: false,
      patch: (entry) => overrideModel(entry, selection),
    });
  }
  sessionCtx.BodyStripped = cleanedBody;
  sessionCtx.BodyForCommands = cleanedBody;
  const entry = sessionEntry === undefined ? written : changeCopy(sessionEntry, selection);
  if (params.sessionStore && sessionKey && entry) params.sessionStore[sessionKey] = entry;
  return { selection, cleanedBody, ...(entry === null ? {} : { sessionEntry: entry }) };
}

/** The caller's own entry; another one in its place where it is frozen, as those that come out of a store are. */
function changeCopy(entry: SessionEntry, selection: ModelSelection): SessionEntry {
  const target = Object.isFrozen(entry) ? { ...entry } : entry;
  return Object.assign(target, overrideModel(entry, selection));
}

/** Credentials chosen for another provider do not fit this one. */
function overrideModel(
  entry: StoredEntry,
  { provider, model, isDefault }: ModelSelection,
): Partial<SessionEntry> {
  const before = entry.providerOverride ?? entry.modelProvider;
  return {
    providerOverride: isDefault ? undefined : provider,
    modelOverride: isDefault ? undefined : model,
    ...(before === undefined || before === provider
      ? {}
      : {
          authProfileOverride: undefined,
          authProfileOverrideSource: undefined,
          authProfileOverrideCompactionCount: undefined,
        }),
  };
}

/** A person's own names for models, as OpenClaw keeps them. */
interface ModelAliasIndex {
  readonly byAlias: ReadonlyMap<string, { readonly alias: string; readonly ref: ModelRef }>;
}

interface ModelRef {
  readonly provider: string;
  readonly model: string;
}

/** The default model, those that have an alias, and the others. Throws INVALID_ARGUMENT where there is no default. */
function catalogueOf(known: {
  readonly defaultProvider?: string;
  readonly defaultModel?: string;
  readonly aliasIndex?: ModelAliasIndex;
  readonly otherModels?: readonly ModelRef[];
}): ModelCatalogue {
  const { defaultProvider: provider, defaultModel: model } = known;
  if (!provider || !model) {
    throw new OpenBotError(
      'INVALID_ARGUMENT',
      'No models to choose from: there is no catalogue and no default',
      {
        hint: 'Give catalogue, or defaultProvider and defaultModel.',
      },
    );
  }
  const named = [...(known.aliasIndex?.byAlias.values() ?? [])];
  const providers: Record<string, string[]> = {};
  for (const ref of [{ provider, model }, ...named.map(({ ref }) => ref), ...(known.otherModels ?? [])]) {
    const models = providers[ref.provider] ?? [];
    if (!models.includes(ref.model)) providers[ref.provider] = [...models, ref.model];
  }
  return {
    providers,
    aliases: Object.fromEntries(named.map(({ alias, ref }) => [alias, `${ref.provider}/${ref.model}`])),
    defaults: { provider, model },
  };
}
