import { closeSync, existsSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { resolveSessionFilePath, type StoredSession, updateSessionStoreEntry } from '@openbot/sessions';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import {
  examineTranscript,
  repairTranscriptHeader,
  type TranscriptCondition,
  withTranscriptLock,
} from '@openbot/sessions/transcript';
import { agentOfOwnStore } from '../../store-care/own-stores.ts';
import { rebuildStore } from '../../store-care/rebuild-store.ts';
import { isTornStore } from '../../store-care/tend-store.ts';
import type { Check, Finding } from '../contract.ts';
import { type AgentFiles, listAgentFiles, listTranscripts } from '../session-files.ts';

export const stores: Check = {
  name: 'stores',
  about: 'The lists of sessions, sessions.json',
  needs: 'folder',
  isQuick: true,
  look: (place) =>
    listAgentFiles(place).flatMap(({ fault, storePath }): Finding[] => {
      if (fault === undefined) return [];
      const finding = { severity: 'problem', what: fault.message } as const;
      const agentId = isTornStore(fault) ? agentOfOwnStore(place, storePath) : undefined;
      if (agentId !== undefined) {
        const does = `Make ${storePath} anew of its last copy and the transcripts beside it; the torn file stays under another name`;
        const apply = async () => void (await rebuildStore(storePath, agentId, place.now));
        return [{ ...finding, fix: { does, apply } }];
      }
      const remedy = `Restore a backup of ${storePath}, or move it away: transcripts stay, and 'openbot clean list' finds them`;
      return [{ ...finding, remedy }];
    }),
};

export const lostTranscripts: Check = {
  name: 'lost-transcripts',
  about: 'Sessions whose transcript is not where their entry says',
  needs: 'folder',
  look: (place) => listAgentFiles(place).flatMap((files) => findLost(files, place.now)),
};

/** A first turn has made the transcript by then. */
const FIRST_TURN_MS = 10 * 60 * 1000;

/** One that was never used has no transcript yet. OpenClaw's entries need not have `systemSent`. */
function wasUsed(
  { systemSent, totalTokens = 0, lastInteractionAt }: StoredSession['entry'],
  now: number,
): boolean {
  const isOld = lastInteractionAt !== undefined && now - lastInteractionAt > FIRST_TURN_MS;
  return systemSent === true || totalTokens > 0 || isOld;
}

function findLost(files: AgentFiles, now: number): Finding[] {
  const { sessions = [], folder, storePath, agentId } = files;
  return sessions.flatMap(({ key, entry }): Finding[] => {
    if (entry.sessionId === undefined || !wasUsed(entry, now)) return [];
    const path = locate(entry.sessionId, entry, folder, agentId);
    if (path === undefined || existsSync(path)) return [];
    const own = join(folder, `${entry.sessionId}.jsonl`);
    const isElsewhere = existsSync(own);
    return [
      {
        severity: 'warning',
        what: `The transcript of ${key} is missing: ${path}`,
        ...(isElsewhere
          ? {
              fix: {
                does: `Let the entry name ${own}, which has this session`,
                apply: async () => {
                  await updateSessionStoreEntry({
                    storePath,
                    sessionKey: key,
                    update: async () => ({ sessionFile: own }),
                  });
                },
              },
            }
          : {
              remedy: `'openbot sessions show ${quoteForShell(key)}' lists what can be brought back; the next message begins anew`,
            }),
      },
    ];
  });
}

function locate(sessionId: string, entry: object, sessionsDir: string, agentId: string): string | undefined {
  try {
    return resolveSessionFilePath(sessionId, entry, { sessionsDir, agentId });
  } catch {
    return undefined;
  }
}

export const orphans: Check = {
  name: 'orphans',
  about: 'Transcripts that no entry names',
  needs: 'folder',
  look: (place) =>
    listAgentFiles(place).flatMap((files) => {
      if (files.sessions === undefined) return [];
      const named = new Set(
        files.sessions.flatMap(({ entry }) => [entry.sessionId, basename(entry.sessionFile ?? '')]),
      );
      const lone = listTranscripts(files).filter(
        ({ path, sessionId }) => !named.has(sessionId) && !named.has(basename(path)),
      );
      if (lone.length === 0) return [];
      const [first] = lone;
      const what = `${lone.length === 1 ? '1 transcript' : `${lone.length} transcripts`} of ${files.agentId} without an entry, such as ${basename(first!.path)}`;
      return [{ severity: 'warning', what, remedy: "They do no harm; 'openbot clean list' shows them" }];
    }),
};

export const tornLines: Check = {
  name: 'torn-lines',
  about: 'Transcripts whose last line was cut off',
  needs: 'folder',
  look: (place) =>
    listAgentFiles(place).flatMap((files) =>
      listTranscripts(files)
        .filter(({ path }) => isTorn(path))
        .map(({ path }) => ({
          severity: 'warning',
          what: `The last line of ${path} has no end`,
          fix: { does: 'End the line; every byte of it stays', apply: () => endLine(path) },
        })),
    ),
};

export const headers: Check = {
  name: 'headers',
  about: 'The first lines of transcripts, which say which session they are',
  needs: 'folder',
  async look(place) {
    const findings: Finding[] = [];
    for (const { path, sessionId } of listAgentFiles(place).flatMap(listTranscripts)) {
      let condition: TranscriptCondition;
      try {
        condition = await examineTranscript(path);
      } catch (error) {
        findings.push({ severity: 'problem', what: (error as Error).message });
        continue;
      }
      if (condition === 'unreadable')
        // With a header it would pass for a transcript that is whole, and nobody would be told.
        findings.push({
          severity: 'problem',
          what: `Nothing in ${path} can be read`,
          remedy:
            'Restore a backup of it; else the next message of its conversation sets it aside and begins a new session',
        });
      if (condition !== 'headless' && condition !== 'empty') continue;
      findings.push({
        severity: 'problem',
        what: `${path} does not begin with a header`,
        fix: {
          does: 'Put a header in front; every byte of the file stays',
          // False where another process has done it since.
          apply: () => repairTranscriptHeader({ path, sessionId, cwd: place.stateDir }).then(() => {}),
        },
      });
    }
    return findings;
  },
};

function isTorn(path: string): boolean {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    if (size === 0) return false;
    const last = Buffer.alloc(1);
    readSync(fd, last, 0, 1, size - 1);
    return last[0] !== 0x0a;
  } finally {
    closeSync(fd);
  }
}

function endLine(path: string): Promise<void> {
  return withTranscriptLock(path, async () => {
    if (!isTorn(path)) return;
    const fd = openSync(path, 'a');
    try {
      writeSync(fd, '\n');
    } finally {
      closeSync(fd);
    }
  });
}
