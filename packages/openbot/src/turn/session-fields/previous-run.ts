import type { RunAbortCause, StoredEntry } from '@openbot/sessions';

const CAUSES: Readonly<Record<RunAbortCause, string>> = {
  person: 'by a person',
  interrupt: 'by a newer message',
  timeout: 'because it took too long',
  shutdown: 'because OpenBot was stopped',
  crash: 'because its process died',
};

/** What the agent is told about a run before this one that was ended early; undefined when there is nothing to tell. */
export function describePreviousRun(
  entry: Pick<StoredEntry, 'abortedLastRun' | 'abortedBy'>,
): string | undefined {
  if (entry.abortedLastRun !== true) return undefined;
  const { abortedBy } = entry;
  const isKnown = abortedBy !== undefined && Object.hasOwn(CAUSES, abortedBy);
  const cause = isKnown ? ` ${CAUSES[abortedBy]}` : '';
  return `The previous run was ended early${cause}. What it was doing may be unfinished.`;
}
