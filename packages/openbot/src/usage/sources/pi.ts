import { join } from 'node:path';
import { readSmallFile, resolveHomeDir, resolveUserPath } from '@openbot/sessions/layout';
import type { SessionNote, UsageScope, UsageSource, UsageUnit } from '../contract.ts';
import { byPath, eachFile, markFile } from '../file-units.ts';
import { readRequests } from '../marked-lines.ts';
import { PI_REQUESTS } from '../rules/pi-request.ts';

const NO_NOTES: ReadonlyMap<string, SessionNote> = new Map();

/** pi's own sessions, of all folders that it worked in. */
export function openPiUsage({ env, warn }: UsageScope): UsageSource {
  const place = resolvePlace(env);
  return {
    warn,
    places: [place],
    hasAgents: false,
    channel: 'pi',
    list: async () => listUnits(place, warn),
    read: async (unit, known) => readRequests(unit, PI_REQUESTS, known),
    describeSessions: async () => NO_NOTES,
  };
}

/** By pi's own rules. */
function resolvePlace(env: UsageScope['env']): string {
  const agent = env.PI_CODING_AGENT_DIR?.trim();
  const folder = agent ? resolveUserPath(agent, env) : join(resolveHomeDir(env), '.pi', 'agent');
  const chosen = env.PI_CODING_AGENT_SESSION_DIR?.trim() || readSetting(join(folder, 'settings.json'));
  return chosen ? resolveUserPath(chosen, env) : join(folder, 'sessions');
}

function readSetting(path: string): string | undefined {
  try {
    const { sessionDir } = JSON.parse(readSmallFile(path)) as { sessionDir?: unknown };
    return typeof sessionDir === 'string' ? sessionDir.trim() : undefined;
  } catch {
    // pi cannot read such settings either.
    return undefined;
  }
}

/** `<folder>/<time>_<session>.jsonl`. */
function listUnits(place: string, warn: UsageScope['warn']): UsageUnit[] {
  const units: UsageUnit[] = [];
  const take = (path: string, parts: readonly string[]) => {
    const [, sessionId] = /^(?:\d{4}-[^_]*_)?(.+)\.jsonl$/.exec(parts.at(-1)!) ?? [];
    const marked = sessionId === undefined ? undefined : markFile(path);
    const project = parts.slice(0, -1).join('/') || undefined;
    if (marked !== undefined) units.push({ id: path, ...marked, sessionId: sessionId!, project });
  };
  eachFile(place, take, warn);
  return units.sort(byPath);
}
