import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, readFileLinesBackwards, transcriptFileName } from '@openbot/sessions';
import { resolveProjectsFolder } from '../repo/projects-folder.ts';

/** What Claude Code itself wrote down of a session's cost, from which it counts on. 0 where it did not. */
export async function readSavedCost(sessionId: string, env: Environment): Promise<number> {
  const projects = resolveProjectsFolder(env);
  for (const folder of listFolders(projects)) {
    const cost = await readLastCost(join(projects, folder, transcriptFileName(sessionId)));
    if (cost !== undefined) return cost;
  }
  return 0;
}

function listFolders(projects: string): string[] {
  try {
    return readdirSync(projects);
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
