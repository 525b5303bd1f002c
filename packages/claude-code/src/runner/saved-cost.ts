import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, readFileLinesBackwards, transcriptFileName } from '@openbot/sessions';
import { resolveProjectsFolder } from '../repo/projects-folder.ts';

/** What Claude Code itself wrote down of a session's cost, from which it counts on. 0 where it did not. */
export async function readSavedCost(sessionId: string, env: Environment): Promise<number> {
  for (const path of listTranscripts(sessionId, env)) {
    const cost = await readLastCost(path);
    if (cost !== undefined) return cost;
  }
  return 0;
}

/** When something was last written into the transcript of a session; undefined where there is none. */
export function findLastWritten(sessionId: string, env: Environment): Date | undefined {
  const times = listTranscripts(sessionId, env).flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? [] : [stat.mtime];
  });
  return times.sort((one, other) => other.getTime() - one.getTime())[0];
}

/** Where it may be: in one of the folders, of which any can be meant. */
function listTranscripts(sessionId: string, env: Environment): string[] {
  const projects = resolveProjectsFolder(env);
  try {
    return readdirSync(projects).map((folder) => join(projects, folder, transcriptFileName(sessionId)));
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
    // Not here, or not to be read.
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
