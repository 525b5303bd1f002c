import type { ChildProcess } from 'node:child_process';
import { readProcessStat } from './process-identity.ts';

/**
 * A process killed by SIGKILL cannot end its children, so this POSIX shell script does. It reads the process groups, with the start
 * time of each leader, and ends those that are left at the end of its input. A group whose leader has
 * another start time is another one: while a group has members, its number is given to no other. It does not heed signals:
 * of those that end all processes of a service, it would be the first to go.
 */
export const GUARD = `trap '' HUP INT TERM
groups=
while read -r word leader start; do
  case $word in
    +) groups="$groups $leader:$start" ;;
    -) others=
       for one in $groups; do [ "$one" = "$leader:$start" ] || others="$others $one"; done
       groups=$others ;;
  esac
done
is_same() {
  [ "$2" != - ] && [ -r "/proc/$1/stat" ] && read -r line <"/proc/$1/stat" || return 0
  set -- "$2" \${line##*) }
  [ "$1" = "\${21}" ]
}
signal() {
  left=no
  for one in $groups; do
    is_same "\${one%:*}" "\${one#*:}" && kill "-$1" "-\${one%:*}" && left=yes
  done
  [ "$left" = yes ] || exit 0
}
signal TERM
signal CONT
for wait in 1 2; do sleep 1; signal 0; done
signal KILL`;

/** As the guard reads them: `<leader> <start>`. */
const groups = new Set<string>();
let guard: ChildProcess | undefined;

/**
 * Has a process group ended if this process is killed: asked to end, and killed after two seconds. One guard stands beside
 * this process from the first group on. None on Windows, which has no groups.
 * @param leader the pid of the process that began the group
 * @returns the function that forgets the group, to be called when it has ended
 */
export function guardGroup(leader: number): () => void {
  if (process.platform === 'win32') return () => {};
  const group = `${leader} ${readProcessStat(leader)?.starttime ?? '-'}`;
  groups.add(group);
  if (guard === undefined) guard = startGuard();
  else tell(guard, '+', group);
  return () => {
    if (groups.delete(group)) tell(guard, '-', group);
  };
}

/** Undefined, or gone at once, where it cannot be started. The next group starts another one, with all that there are then. */
function startGuard(): ChildProcess | undefined {
  const { spawn } = process.getBuiltinModule('node:child_process');
  let child: ChildProcess;
  try {
    child = spawn('/bin/sh', ['-c', GUARD, 'openbot-group-guard'], {
      cwd: '/',
      // Some systems have their programs in other folders.
      env: { PATH: `/usr/bin:/bin:${process.env.PATH ?? ''}` },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
  } catch {
    // Node throws some failures (ENOMEM, E2BIG), and emits others.
    return undefined;
  }
  const forget = () => {
    if (guard === child) guard = undefined;
  };
  child.on('error', forget).on('exit', forget);
  child.stdin?.on('error', () => {});
  for (const group of groups) tell(child, '+', group);
  // Neither keeps this process alive.
  child.unref();
  (child.stdin as (typeof child.stdin & { unref?(): void }) | null)?.unref?.();
  return child;
}

function tell(child: ChildProcess | undefined, word: '+' | '-', group: string): void {
  child?.stdin?.write(`${word} ${group}\n`);
}
