import { rmSync } from 'node:fs';
import { OpenBotError } from '@openbot/sessions';
import { acquireLock, ownIdentity, undoAtEnding, writeFileAtomic } from '@openbot/sessions/disk';
import { findGateway, findHolder, type GatewayRecord } from './find-gateway.ts';
import { gatewayFiles } from './gateway-files.ts';

export interface GatewayClaim {
  /** Aborts when another process took the folder over, as after a file was removed by hand. */
  readonly lost: AbortSignal;
  /** From here on commands find it. */
  announce(facts: Omit<GatewayRecord, 'pid' | 'starttime' | 'host' | 'pidSpace'>): Promise<void>;
  /** Commands do not find it any more. */
  withdraw(): void;
  release(): Promise<void>;
}

/** A state folder has one gateway. Throws GATEWAY_RUNNING. */
export async function claimGateway(stateDir: string): Promise<GatewayClaim> {
  const { lock: lockPath, record } = gatewayFiles(stateDir);
  const lock = await acquireLock(lockPath, { timeoutMs: 0 }).catch((error: unknown) => {
    throw error instanceof OpenBotError && error.code === 'LOCK_TIMEOUT' ? alreadyRunning(stateDir) : error;
  });
  const withdraw = () => {
    // The record of a process that took the folder over stays.
    if (lock.isHeld()) rmSync(record, { force: true });
  };
  // One that was killed leaves its own.
  withdraw();
  const forget = undoAtEnding('files', withdraw);
  return {
    lost: lock.signal,
    announce: async (facts) => {
      await writeFileAtomic(record, `${JSON.stringify({ ...ownIdentity(), ...facts }, null, 2)}\n`);
    },
    withdraw,
    release: async () => {
      withdraw();
      forget();
      await lock.release();
    },
  };
}

export function alreadyRunning(stateDir: string): OpenBotError {
  const record = findGateway(stateDir);
  const who = findHolder(stateDir)?.who ?? 'another process';
  const where = record === undefined ? '' : `, on ${record.url}`;
  return new OpenBotError('GATEWAY_RUNNING', `The gateway of ${stateDir} runs already: ${who}${where}`, {
    hint: "'openbot gateway stop' ends it, 'openbot gateway restart' starts it anew",
  });
}
