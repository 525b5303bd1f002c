import { execFileSync } from 'node:child_process';
import { describeCommand, type ProcessIdentity, readProcessStat } from '@openbot/sessions/disk';
import type { SessionUse } from './session-use.ts';

/** A process above this one. */
interface Ancestor {
  readonly pid: number;
  /** The name of its program; empty if it cannot be read. */
  readonly program: string;
}

const MAX_DEPTH = 64;

/** The processes above `pid`, nearest first. The list ends at the first process that cannot be read. */
export function listAncestors(pid: number = process.pid): Ancestor[] {
  const ancestors: Ancestor[] = [];
  const read: (pid: number) => ListedProcess | undefined =
    process.platform === 'linux' ? readProcessStat : readWithPs();
  let at = read(pid)?.parent;
  while (at !== undefined && at > 0 && ancestors.length < MAX_DEPTH) {
    const found = read(at);
    if (found === undefined) break;
    ancestors.push({ pid: at, program: found.program ?? describeCommand(at)?.split(' ')[0] ?? '' });
    at = found.parent;
  }
  return ancestors;
}

export function isAncestor(pid: number | undefined): boolean {
  return pid !== undefined && listAncestors().some((ancestor) => ancestor.pid === pid);
}

interface ListedProcess {
  readonly parent: number;
  readonly program?: string;
}

function readWithPs(): (pid: number) => ListedProcess | undefined {
  const listed = new Map<number, ListedProcess>();
  try {
    const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    for (const [, pid, parent, name] of table.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)) {
      listed.set(Number(pid), { parent: Number(parent), program: name?.split('/').at(-1) ?? '' });
    }
  } catch {
    // Without ps no ancestor is known, and the session counts as used by an unrelated process.
  }
  return (pid) => listed.get(pid);
}

/** Programs that run between an agent and the command that it calls. */
const LAUNCHERS = new Set([
  ...['sh', 'bash', 'dash', 'zsh', 'fish', 'ksh', 'ash', 'busybox', 'script'],
  ...['cmd.exe', 'powershell', 'pwsh'],
  ...['env', 'timeout', 'nice', 'nohup', 'setsid', 'sudo', 'su', 'xargs', 'time', 'make'],
  ...['npm', 'npx', 'pnpm', 'yarn', 'bunx', 'corepack', 'occ', 'occ.js'],
]);

/** The nearest ancestor that is neither a shell nor a launcher of commands. */
export function pickAgent(ancestors: readonly Ancestor[]): Ancestor | undefined {
  return ancestors.find(({ pid, program }) => pid > 1 && !LAUNCHERS.has(program.replace(/^-/, '')));
}

/**
 * The process whose end also ends the run, if it is known: for a run that called this command, the agent above us. An
 * unrelated process does not qualify: a gateway outlives its runs.
 */
export function findRunner(use: SessionUse): Partial<ProcessIdentity> | undefined {
  if (use.kind !== 'unfinished')
    return use.isAncestor && use.pid !== undefined ? identify(use.pid) : undefined;
  if (use.ownRun === 'no') return use.runner;
  const agent = pickAgent(listAncestors());
  return agent === undefined ? undefined : identify(agent.pid);
}

export function identify(pid: number): Partial<ProcessIdentity> {
  return { pid, starttime: readProcessStat(pid)?.starttime };
}
