import { type ChildProcess, spawn } from 'node:child_process';
import { MARK_VARIABLE } from './marked-processes.ts';

/**
 * When this process is killed, Claude Code would finish its turn, tools and all, with nobody to see it. A shell waits for
 * a word that all is well; the end of its input without one is the death of this process. It then does what this process
 * would have done, by the means that every shell has: $1 is Claude Code, $2 what its processes carry.
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

/** Stands beside a Claude Code until it is dismissed. It carries no mark itself. Undefined where there is no such shell. */
export function startGuard(pid: number, mark: string): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const guard = spawn('/bin/sh', ['-c', GUARD, 'openbot-guard', String(pid), `${MARK_VARIABLE}=${mark}`], {
    cwd: '/',
    // Some systems have their programs elsewhere.
    env: { PATH: `/usr/bin:/bin:${process.env.PATH ?? ''}` },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without a shell there is no guard; the run is none the worse.
  guard.on('error', () => {});
  guard.stdin?.on('error', () => {});
  guard.unref();
  return guard;
}

export function dismissGuard(guard: ChildProcess | undefined): void {
  guard?.stdin?.end('done\n');
}
