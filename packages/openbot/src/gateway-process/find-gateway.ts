import { readFileSync } from 'node:fs';
import { inspectLock, isHolderAlive, type ProcessIdentity } from '@openbot/sessions/disk';
import type { GatewaySettings } from '../config/bot-config.ts';
import { gatewayFiles } from './gateway-files.ts';

/** What a gateway that serves says of itself to commands of the same person, in a file that only they can read. */
export interface GatewayRecord extends ProcessIdentity {
  readonly port: number;
  /** That it listens on. */
  readonly address: string;
  /** For clients on this machine: `ws://127.0.0.1:19789`. */
  readonly url: string;
  /** ms */
  readonly startedAt: number;
  readonly version: string;
  /** What it was told when it was started, beside the configuration: a restart keeps to it. */
  readonly flags?: Pick<GatewaySettings, 'port' | 'bind'>;
  /** For commands, with full rights; made anew by each process. */
  readonly token: string;
}

/** The gateway of a state folder that serves now. Without one this costs the attempt to open a file. */
export function findGateway(stateDir: string): GatewayRecord | undefined {
  const { record: path, lock } = gatewayFiles(stateDir);
  const record = readRecord(path);
  if (record === undefined) return undefined;
  const liveness = isHolderAlive(record);
  // Without start times of processes the lock decides: its holder touches it.
  const isThere = liveness === 'unknown' ? inspectLock(lock)?.held === true : liveness === 'alive';
  return isThere ? record : undefined;
}

function readRecord(path: string): GatewayRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(path, 'utf8')) as GatewayRecord;
    const { pid, port, url, token } = record;
    const isWhole =
      [pid, port].every(Number.isInteger) && [url, token].every((one) => typeof one === 'string');
    return isWhole ? record : undefined;
  } catch {
    return undefined;
  }
}

/** The process that holds the folder's gateway, also while it starts or stops. */
export function findHolder(stateDir: string): { readonly pid?: number; readonly who: string } | undefined {
  const lock = inspectLock(gatewayFiles(stateDir).lock);
  return lock?.held ? { pid: lock.holder.pid, who: lock.who } : undefined;
}
