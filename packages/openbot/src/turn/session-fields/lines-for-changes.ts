import type { StoredEntry } from '@openbot/sessions';
import type { EntryDraft } from '@openbot/sessions/transcript';

/**
 * How hard the model thinks: as this run asks, else as the session does, else as the agent does. Undefined leaves it to the
 * model; the first run after one with a level has `off` instead, so that the transcript says that the level has ended.
 */
export function chooseThinkingLevel(params: {
  readonly asked?: string;
  readonly entry: Pick<StoredEntry, 'thinkingLevel' | 'lastThinkingLevel'>;
  readonly thinkingDefault?: string;
}): string | undefined {
  const { asked, entry, thinkingDefault } = params;
  const isSet = (level: unknown) => typeof level === 'string' && level.trim() !== '';
  const level = [asked, entry.thinkingLevel, thinkingDefault].find(isSet)?.trim().toLowerCase();
  const hadLevel = isSet(entry.lastThinkingLevel) && entry.lastThinkingLevel !== 'off';
  return level ?? (hadLevel ? 'off' : undefined);
}

/**
 * The transcript's lines for a run whose model or thinking level differs from the run before, in the order in which pi
 * writes them. The first run of a session notes both. They belong in the write that begins the turn.
 */
export function linesForChanges(
  previous: Pick<StoredEntry, 'systemSent' | 'modelProvider' | 'model' | 'lastThinkingLevel'>,
  chosen: {
    readonly model: { readonly provider: string; readonly model: string };
    readonly thinkingLevel?: string;
  },
): EntryDraft[] {
  const isFirst = previous.systemSent !== true;
  const { provider, model } = chosen.model;
  const lines: EntryDraft[] = [];
  if (isFirst || previous.modelProvider !== provider || previous.model !== model) {
    lines.push({ type: 'model_change', provider, modelId: model });
  }
  const { thinkingLevel } = chosen;
  if (thinkingLevel !== undefined && (isFirst || thinkingLevel !== previous.lastThinkingLevel)) {
    lines.push({ type: 'thinking_level_change', thinkingLevel });
  }
  return lines;
}
