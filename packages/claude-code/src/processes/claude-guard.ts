import type { ChildProcess } from 'node:child_process';
import { startChild } from '@openbot/sessions/disk';
import { MARK_VARIABLE } from './marked-processes.ts';

/**
 * If this process is killed, Claude Code would finish its turn unattended, with its tools. This shell script reads its
 * input: a line means that all is well, the end of input without one that this process died. It then ends the run as
 * this process would have, with what every POSIX shell has. $1 is the pid of Claude Code, $2 the mark of its processes.
 */
const GUARD = `read -r word && exit 0
kill -TERM "$1"
kill -CONT "$1"
for wait in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$1" || break; sleep 1; done
kill -0 "$1" && kill -KILL "-$1"
mark=$2
signal_marked() {
  found=no
  for place in /proc/[0-9]*; do
    [ -r "$place/environ" ] || continue
    case $(tr -d '\\000' <"$place/environ") in *"$mark"*) ;; *) continue ;; esac
    found=yes
    for name; do kill "-$name" "\${place#/proc/}" "-\${place#/proc/}"; done
  done
}
quiet=0
for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
  if [ "$round" -le 2 ]; then signal_marked TERM CONT; else signal_marked KILL; fi
  if [ "$found" = yes ]; then quiet=0; else quiet=$((quiet + 1)); fi
  [ "$quiet" -lt 2 ] || break
  sleep 1
done
kill -KILL "-$1"`;

/**
 * Starts the guard of a Claude Code. It has no mark itself. Undefined on Windows, and where it cannot be started: the run
 * continues without one.
 */
export async function startGuard(pid: number, mark: string): Promise<ChildProcess | undefined> {
  if (process.platform === 'win32') return undefined;
  const args = ['-c', GUARD, 'openbot-guard', String(pid), `${MARK_VARIABLE}=${mark}`];
  const guard = await startChild('/bin/sh', args, {
    cwd: '/',
    // Some systems have their programs in other folders.
    env: { PATH: `/usr/bin:/bin:${process.env.PATH ?? ''}` },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  }).catch(() => undefined);
  guard?.stdin?.on('error', () => {});
  guard?.unref();
  return guard;
}

export function dismissGuard(guard: ChildProcess | undefined): void {
  guard?.stdin?.end('done\n');
}
