import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { resolveHomeDir, resolveUserPath } from '@openbot/sessions/layout';
import type { SessionNote, UsageScope, UsageSource, UsageUnit } from '../contract.ts';
import { byPath, eachFile, markFile } from '../file-units.ts';

const NO_NOTES: ReadonlyMap<string, SessionNote> = new Map();

/** All that Claude Code wrote below its `projects`: sessions, and what their subagents did. */
export function openClaudeUsage({ env, warn }: UsageScope): UsageSource {
  const places = resolvePlaces(env);
  return {
    places,
    warn,
    hasAgents: false,
    channel: 'claude-code',
    list: async () => listUnits(places, warn),
    read: async (unit, known) => (await import('./read-claude.ts')).readClaude(unit, known),
    describeSessions: async () => NO_NOTES,
  };
}

/** As ccusage: several folders can be named, each also by its `projects`. */
function resolvePlaces(env: UsageScope['env']): string[] {
  const named = (env.CLAUDE_CONFIG_DIR ?? '').split(',').filter((path) => path.trim() !== '');
  if (named.length > 0) {
    const folders = named.map((path) => resolveUserPath(path, env));
    return [...new Set(folders.map((path) => (basename(path) === 'projects' ? dirname(path) : path)))].map(
      (path) => join(path, 'projects'),
    );
  }
  const home = resolveHomeDir(env);
  const config = env.XDG_CONFIG_HOME?.trim() || join(home, '.config');
  const places = [join(config, 'claude', 'projects'), join(home, '.claude', 'projects')];
  const there = places.filter((path) => existsSync(path));
  return there.length === 0 ? places.slice(1) : there;
}

function listUnits(places: readonly string[], warn: UsageScope['warn']): UsageUnit[] {
  const units: UsageUnit[] = [];
  const take = (path: string, parts: readonly string[]) => {
    const marked = path.endsWith('.jsonl') ? markFile(path) : undefined;
    if (marked !== undefined) units.push({ id: path, ...marked, ...nameSession(parts) });
  };
  for (const place of places) eachFile(place, take, warn);
  return units.sort(byPath);
}

/** `<project>/<session>.jsonl`, `<project>/<session>/subagents/agent-….jsonl`, `<project>/<session>/….jsonl`. */
function nameSession(parts: readonly string[]): { sessionId: string; project: string } {
  const file = parts.at(-1)!.slice(0, -'.jsonl'.length);
  if (parts.length === 1) return { sessionId: parts[0]!, project: 'Unknown Project' };
  if (parts.length === 2) return { sessionId: file, project: parts[0]! };
  const isSubagent = parts.length >= 4 && parts.at(-2) === 'subagents';
  const at = parts.length - (isSubagent ? 3 : 2);
  return { sessionId: parts[at]!, project: parts.slice(0, at).join('/') };
}
