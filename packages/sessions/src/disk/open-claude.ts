import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isHolderAlive } from './process-identity.ts';

/** A Claude Code process that has a session open now, started by a person or by a run. */
interface OpenClaude {
  readonly sessionId: string;
  readonly pid: number;
  /** `busy` during a turn, `idle` between turns; as Claude Code writes it. */
  readonly status?: string;
}

const NAME = /^(\d{1,10})\.json$/;

/**
 * The Claude Codes at work in a config folder (`CLAUDE_CONFIG_DIR`, else `~/.claude`). Each publishes itself in
 * `sessions/<pid>.json` with the start of its process, and follows `/clear` and `/resume` to another session. A file that
 * a crash left is recognised by that start: a pid alone is no identity. Those of another machine or container cannot be
 * checked, and are not listed.
 */
export function listOpenClaudes(configFolder: string): OpenClaude[] {
  const folder = join(configFolder, 'sessions');
  return readNames(folder).flatMap((name) => {
    const found = NAME.test(name) ? readPublished(join(folder, name)) : undefined;
    return found === undefined || `${found.pid}.json` !== name ? [] : [found];
  });
}

/** One that has this session open. */
export function findOpenClaude(configFolder: string, sessionId: string): OpenClaude | undefined {
  return listOpenClaudes(configFolder).find((open) => open.sessionId === sessionId);
}

/** `process 4711, which is at a turn` */
export function describeOpenClaude({ pid, status }: OpenClaude): string {
  return `process ${pid}${status === 'busy' ? ', which is working' : ''}`;
}

function readPublished(path: string): OpenClaude | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Gone, or half written: it is written anew with each turn.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, sessionId, procStart, status } = value as Record<string, unknown>;
  if (!Number.isInteger(pid) || typeof sessionId !== 'string') return undefined;
  if (!isAlive(Number(pid), procStart)) return undefined;
  return { sessionId, pid: Number(pid), ...(typeof status === 'string' ? { status } : {}) };
}

function isAlive(pid: number, procStart: unknown): boolean {
  const starttime = typeof procStart === 'string' && /^\d+$/.test(procStart) ? Number(procStart) : undefined;
  const liveness = isHolderAlive({ pid, starttime });
  // Without start times only the pid can be compared.
  return liveness === 'alive' || (liveness === 'unknown' && process.platform !== 'linux');
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
