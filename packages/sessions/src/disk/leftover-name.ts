import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { undoAtEnding } from './ending.ts';
import { ownIdentity, type ProcessIdentity } from './process-identity.ts';

/** `tmp`: written, not yet renamed to its target. `claimed`: a stale lock on its way out. */
type LeftoverKind = 'tmp' | 'claimed';

interface Leftover {
  kind: LeftoverKind;
  pid: number;
  /** The full identity of the maker, where the name shows that it was made in this host's pid space. */
  maker?: ProcessIdentity;
}

const PATTERN =
  /\.(\d{1,10})\.([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-([0-9a-f]{12})\.(tmp|claimed)$/;

// A name may have 255 bytes, and ours adds up to 56.
const MAX_BASE_BYTES = 190;

/** A name beside the target for what is not finished. It is gone when a signal ends the process. */
export function makeLeftoverPath(target: string, kind: LeftoverKind): string {
  const folder = dirname(target);
  if (folders.size === 0) undoAtEnding('files', removeOwnLeftovers);
  folders.add(folder);
  return join(folder, makeLeftoverName(basename(target), kind));
}

/** Where this process made any. */
const folders = new Set<string>();

function removeOwnLeftovers(): void {
  const { pid, starttime } = ownIdentity();
  for (const folder of folders) {
    for (const name of listNames(folder)) {
      const maker = parseLeftoverName(name)?.maker;
      if (maker?.pid !== pid || maker.starttime !== starttime) continue;
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * `<base>.<pid>.<uuid>.<kind>`. The uuid is unique and also tells who made it: its first group names the pid space,
 * its last the start time of the process, so that a leftover of a killed process is known for certain.
 */
export function makeLeftoverName(base: string, kind: LeftoverKind): string {
  const self = ownIdentity();
  const random = randomBytes(16).toString('hex');
  const born = self.starttime?.toString(16).padStart(12, '0').slice(-12) ?? random.slice(20);
  const middle = `${random.slice(0, 4)}-4${random.slice(4, 7)}-8${random.slice(7, 10)}`;
  const short = Buffer.byteLength(base) <= MAX_BASE_BYTES ? base : `${base.slice(0, 32)}~${random}`;
  return `${short}.${self.pid}.${spaceMark(self)}-${middle}-${born}.${kind}`;
}

export function parseLeftoverName(name: string): Leftover | undefined {
  const match = PATTERN.exec(name);
  if (match === null) return undefined;
  const [, pidText, mark, born, kind] = match as unknown as [string, string, string, string, LeftoverKind];
  const self = ownIdentity();
  const pid = Number(pidText);
  if (mark !== spaceMark(self)) return { kind, pid };
  const starttime = self.starttime === undefined ? undefined : Number.parseInt(born, 16);
  return { kind, pid, maker: { ...self, pid, starttime } };
}

let mark: string | undefined;

function spaceMark(self: ProcessIdentity): string {
  mark ??= createHash('sha256').update(`${self.host}\n${self.pidSpace}`).digest('hex').slice(0, 8);
  return mark;
}
