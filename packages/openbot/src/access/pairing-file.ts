import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { makeFolder, withLock, writeFileAtomic } from '@openbot/sessions/disk';

/** A person on an account of a chat network. */
export interface PairingPerson {
  readonly channel: string;
  readonly accountId: string;
  /** That the network gives the person. */
  readonly id: string;
  /** Where they are told. */
  readonly to: string;
  /** What they call themselves: shown, and never compared. */
  readonly meta: { readonly username?: string; readonly firstName?: string };
}

/** A stranger who wrote and waits for approval. */
export interface PairingRequest extends PairingPerson {
  readonly code: string;
  /** ms */
  readonly createdAt: number;
  readonly lastSeenAt: number;
  /** Kept until it would have expired, so that the person cannot ask again at once. */
  readonly isDenied?: boolean;
}

export interface PairedPerson extends PairingPerson {
  /** ms */
  readonly approvedAt: number;
}

export interface PairingFile {
  readonly version: 1;
  readonly requests: readonly PairingRequest[];
  readonly approved: readonly PairedPerson[];
}

const EMPTY: PairingFile = { version: 1, requests: [], approved: [] };

export function pairingPathOf(stateDir: string): string {
  return join(stateDir, 'channel-pairing.json');
}

/** Throws PAIRING_UNREADABLE. */
export function readPairing(stateDir: string): PairingFile {
  const path = pairingPathOf(stateDir);
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as PairingFile;
    if (file.version !== 1 || !Array.isArray(file.requests) || !Array.isArray(file.approved))
      throw new Error('it is not a list of people');
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY;
    throw new OpenBotError('PAIRING_UNREADABLE', `Cannot read ${path}: ${(error as Error).message}`, {
      hint: 'Restore it from a backup, or move it away: people who were approved by pairing then have to ask again.',
      cause: error,
    });
  }
}

/** Reads the file when it has changed, so that each message may ask. */
export function followPairing(stateDir: string): () => PairingFile {
  const path = pairingPathOf(stateDir);
  let known: { readonly stamp: string; readonly file: PairingFile } | undefined;
  return () => {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    const stamp = stats === undefined ? 'none' : `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
    if (known?.stamp !== stamp) known = { stamp, file: readPairing(stateDir) };
    return known.file;
  };
}

/** Changes the file under its lock. What `change` returns beside the new content is the result. */
export async function changePairing<T>(
  stateDir: string,
  change: (file: PairingFile) => { readonly file: PairingFile; readonly result: T },
): Promise<T> {
  const path = pairingPathOf(stateDir);
  await makeFolder(stateDir);
  return withLock(`${path}.lock`, {}, async () => {
    const before = readPairing(stateDir);
    const { file, result } = change(before);
    if (file !== before) await writeFileAtomic(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
    return result;
  });
}
