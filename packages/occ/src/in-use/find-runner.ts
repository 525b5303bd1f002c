import type { ProcessIdentity } from '@openbot/sessions/disk';
import { type Ancestor, listAncestors, readStartTime } from './process-tree.ts';
import type { SessionUse } from './session-use.ts';

/** Programs that stand between an agent and the command that it runs. */
const GO_BETWEENS = new Set([
  ...[
    'sh',
    'bash',
    'dash',
    'zsh',
    'fish',
    'ksh',
    'ash',
    'busybox',
    'script',
    'cmd.exe',
    'powershell',
    'pwsh',
  ],
  ...['env', 'timeout', 'nice', 'nohup', 'setsid', 'sudo', 'su', 'xargs', 'time', 'make'],
  ...['npm', 'npx', 'pnpm', 'yarn', 'bunx', 'corepack', 'occ', 'occ.js'],
]);

/**
 * The process whose end is the end of the run at the latest, where one is known: for a run that called this command,
 * the agent above us. A stranger's process is no sign of it, since a gateway outlives its runs.
 */
export function findRunner(use: SessionUse): Partial<ProcessIdentity> | undefined {
  if (use.kind !== 'unfinished')
    return use.isAncestor && use.pid !== undefined ? identify(use.pid) : undefined;
  if (use.ownRun === 'no') return undefined;
  const agent = pickAgent(listAncestors());
  return agent === undefined ? undefined : identify(agent.pid);
}

/** The nearest that is neither a shell nor a launcher of commands. */
export function pickAgent(ancestors: readonly Ancestor[]): Ancestor | undefined {
  return ancestors.find(({ pid, program }) => pid > 1 && !GO_BETWEENS.has(program.replace(/^-/, '')));
}

/** What is known of a process for certain. */
export function identify(pid: number): Partial<ProcessIdentity> {
  const starttime = readStartTime(pid);
  return { pid, starttime };
}
