import { basename, dirname } from 'node:path';
import { lookIntoSessionStore, OpenBotError, openFileSessionStore } from '@openbot/sessions';
import { buildCloneSessionKey } from '@openbot/sessions/key';
import type { FoundSession } from '../contract/found-session.ts';
import type { CloneEntry, CloneFile, CloneTraits } from '../files/clones/clone-traits.ts';
import { indexPathOf } from './index-entry.ts';

export const openclawClones: CloneTraits = {
  fileName: (sessionId) => `${sessionId}.jsonl`,
  entryOf: ({ session, at }, clone) =>
    isBeside(session, clone.path) ? makeEntry(session, clone, at) : undefined,
  explainNoEntry: ({ session, outputPath }) =>
    outputPath === undefined || isBeside(session, outputPath) ? undefined : NO_ENTRY,
  resumeCommand: ({ sessionId, isRegistered }) => (isRegistered ? resumeCommandOf(sessionId) : undefined),
};

export const NO_ENTRY = 'It is not in the index, which lists only files of its own folder';

export function resumeCommandOf(sessionId: string): string {
  return `openclaw agent --session-id ${sessionId} --message "..."`;
}

/** Undefined for a session of no agent: a key names one. */
export function cloneKeyOf({ agentId }: FoundSession, cloneId: string): string | undefined {
  return agentId === null ? undefined : buildCloneSessionKey({ agentId, cloneId });
}

function isBeside({ path }: FoundSession, clonePath: string): boolean {
  return dirname(clonePath) === dirname(path);
}

function makeEntry(session: FoundSession, { sessionId, path }: CloneFile, at: Date): CloneEntry | undefined {
  const key = cloneKeyOf(session, sessionId);
  if (key === undefined) return undefined;
  const indexPath = indexPathOf(session);
  // A file of another name is not found by the id.
  const isByName = basename(path) === `${sessionId}.jsonl`;
  const entry = { sessionId, updatedAt: at.getTime(), ...(isByName ? {} : { sessionFile: path }) };
  return {
    key,
    indexPath,
    assertReadable: () => assertIndexReadable(indexPath),
    register: async () => {
      const store = openFileSessionStore(indexPath);
      try {
        await store.update(key, () => entry);
      } finally {
        await store.close();
      }
    },
    isMade: async () => {
      const store = openFileSessionStore(indexPath);
      try {
        const isNamed = await store.get(key).then(
          (found) => found !== undefined,
          () => true,
        );
        return (
          isNamed &&
          (await store.delete(key).then(
            () => false,
            () => true,
          ))
        );
      } finally {
        await store.close();
      }
    },
  };
}

/** An index that cannot be read takes no entry: reported before a file exists that nothing names. */
function assertIndexReadable(indexPath: string): void {
  try {
    lookIntoSessionStore(indexPath);
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    const hint = `${error.hint ?? ''} --no-register makes a clone without an index entry.`.trim();
    throw new OpenBotError(error.code, error.message, { hint, cause: error });
  }
}
