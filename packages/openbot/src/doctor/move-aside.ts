import { chmodSync, constants, copyFileSync, linkSync, statSync, unlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { makeFolder } from '@openbot/sessions/disk';

/** The folder in a state folder that holds what fixes took out of the way, by the day. */
const MOVED = 'moved-aside';

/** Moves a file out of the way, to where a person finds it again. Never onto another file. */
export async function moveAside(stateDir: string, path: string, now: number): Promise<void> {
  const time = new Date(now).toISOString().replaceAll(':', '-').slice(0, 19);
  const wanted = join(stateDir, MOVED, time, placeOf(stateDir, path));
  await makeFolder(dirname(wanted));
  let target = wanted;
  for (let n = 2; !copyNew(path, target); n++) target = `${wanted}-${n}`;
  unlinkSync(path);
  try {
    chmodSync(target, statSync(target).mode & 0o7700);
  } catch {
    // It belongs to another user: what looks at modes names it.
  }
}

/** What is outside of the state folder keeps its whole path: agents have files of the same name. */
function placeOf(stateDir: string, path: string): string {
  const inside = relative(stateDir, path);
  if (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return inside;
  const whole = resolve(path);
  return join('outside', whole.slice(parse(whole).root.length));
}

/** False where the target exists. */
function copyNew(path: string, target: string): boolean {
  try {
    linkSync(path, target);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
  }
  // Where nothing can be linked, as from one disk to another. It fails where a target has appeared since.
  copyFileSync(path, target, constants.COPYFILE_EXCL);
  return true;
}
