import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, isSessionId, transcriptFileName } from '@openbot/sessions/layout';
import { readFileLinesBackwards } from '@openbot/sessions/transcript';
import { resolveProjectsFolder } from '../repo/projects-folder.ts';

/** The cost of a session that Claude Code saved, and from which it continues to count; else 0. */
export async function readSavedCost(sessionId: string, env: Environment): Promise<number> {
  const transcript = findTranscript(sessionId, env);
  return (transcript && (await readLastCost(transcript.path))) ?? 0;
}

/** When the transcript of a session was last written; undefined without one. */
export function findLastWritten(sessionId: string, env: Environment): Date | undefined {
  return findTranscript(sessionId, env)?.writtenAt;
}

/** Searches all project folders; of several copies, the one that was written last counts. */
function findTranscript(sessionId: string, env: Environment): { path: string; writtenAt: Date } | undefined {
  if (!isSessionId(sessionId)) return undefined;
  const projects = resolveProjectsFolder(env);
  return listFolders(projects)
    .flatMap((folder) => {
      const path = join(projects, folder, transcriptFileName(sessionId));
      try {
        return [{ path, writtenAt: statSync(path).mtime }];
      } catch {
        return [];
      }
    })
    .sort((one, other) => other.writtenAt.getTime() - one.writtenAt.getTime())[0];
}

function listFolders(projects: string): string[] {
  try {
    return readdirSync(projects, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

async function readLastCost(path: string): Promise<number | undefined> {
  try {
    for await (const { bytes } of readFileLinesBackwards(path)) {
      const cost = bytes?.includes('"cost-state"') ? readCost(bytes.toString('utf8')) : undefined;
      if (cost !== undefined) return cost;
    }
  } catch {
    // It does not exist, or cannot be read.
  }
  return undefined;
}

function readCost(text: string): number | undefined {
  try {
    const { type, totalCostUSD } = JSON.parse(text) as { type?: unknown; totalCostUSD?: unknown };
    return type === 'cost-state' && typeof totalCostUSD === 'number' && totalCostUSD >= 0
      ? totalCostUSD
      : undefined;
  } catch {
    return undefined;
  }
}
