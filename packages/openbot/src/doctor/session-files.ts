import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookIntoSessionStore, type StoredSession } from '@openbot/sessions';
import { classifySessionFileName } from '@openbot/sessions/layout';
import type { Place } from './contract.ts';

export interface AgentFiles {
  readonly agentId: string;
  readonly storePath: string;
  readonly folder: string;
  readonly names: readonly string[];
  /** Undefined where there is no store, or it cannot be read. */
  readonly sessions?: readonly StoredSession[];
  readonly fault?: Error;
}

/** The stores that are files, with what is beside them. */
export function listAgentFiles({ folder }: Place): AgentFiles[] {
  const keepers = (folder?.agentIds ?? []).map((agentId) => folder!.open(agentId));
  return keepers
    .filter(({ path }, at) => path.endsWith('.json') && keepers.findIndex((one) => one.path === path) === at)
    .map(({ agentId, path }) => {
      const files = { agentId, storePath: path, folder: dirname(path), names: readNames(dirname(path)) };
      try {
        return { ...files, sessions: lookIntoSessionStore(path) };
      } catch (error) {
        return { ...files, fault: error as Error };
      }
    });
}

/** The transcripts in the folder, with the ids in their names. */
export function listTranscripts({ folder, names }: AgentFiles): { path: string; sessionId: string }[] {
  return names.flatMap((name) => {
    const file = classifySessionFileName(name);
    return file.kind === 'transcript' || file.kind === 'topic-transcript'
      ? [{ path: join(folder, name), sessionId: file.sessionId }]
      : [];
  });
}

export function readNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
