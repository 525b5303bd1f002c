import type { SessionEntry, StoredEntry } from '@openbot/sessions';

/**
 * Of the process and the disk of OpenClaw, or made anew by the next turn here. All else is kept, also what is not known
 * here.
 */
const LEFT_OUT = [
  'sessionFile',
  'skillsSnapshot',
  'systemPromptReport',
  'contextBudgetStatus',
  'compactionCheckpoints',
  'agentHarnessId',
  'activeWriterRunId',
  'authProfileOverride',
  'authProfileOverrideSource',
  'authProfileOverrideCompactionCount',
] as const;

/** @param sessionFile where the transcript has another name than that of its id */
export function convertEntry(entry: StoredEntry, sessionFile: string | undefined): SessionEntry {
  const { updatedAt, status } = entry;
  const kept: Record<string, unknown> = { ...entry };
  for (const name of LEFT_OUT) delete kept[name];
  // That run is not one of ours, and nothing here would ever end it.
  if (status === 'running') for (const name of ['status', 'startedAt', 'endedAt']) delete kept[name];
  return {
    ...kept,
    sessionId: entry.sessionId,
    updatedAt: Number.isFinite(updatedAt) ? updatedAt : 0,
    ...(sessionFile === undefined ? {} : { sessionFile }),
  };
}

/** What a person set for a session here stays. */
const SET_HERE = [
  ...['label', 'thinkingLevel', 'reasoningLevel', 'verboseLevel', 'responseUsage', 'sendPolicy'],
  ...['groupActivation', 'queueMode', 'queueDebounceMs', 'queueCap', 'queueDrop'],
  ...['modelOverride', 'providerOverride', 'execHost', 'execSecurity', 'execAsk', 'permissionsAdded'],
  'sessionFile',
];

/** An entry here of a session that OpenClaw has continued. */
export function mergeEntry(here: SessionEntry, there: SessionEntry): SessionEntry {
  const kept = Object.entries(here).filter(([name]) => SET_HERE.includes(name));
  return { ...here, ...there, ...Object.fromEntries(kept) };
}
