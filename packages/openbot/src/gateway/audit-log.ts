/** Which calls with the rights of the owner were made, by whom. One JSON object in each line. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@openbot/sessions/disk';
import type { Outcome, Request } from './request.ts';

export interface AuditLog {
  /** Resolves when the log has that the call begins, whatever becomes of it. The function is told how it ended. */
  begin(request: Request): Promise<(outcome: Outcome) => void>;
  /** What was not a call, such as that a device was approved. */
  note(what: string, about: Readonly<Record<string, string>>): void;
  /** Waits for what was added. */
  close(): Promise<void>;
}

export function auditPathOf(stateDir: string): string {
  return join(stateDir, 'logs', 'gateway-audit.jsonl');
}

const LARGEST_FILE = 5 * 1024 * 1024;
/** `.1` is the newest of them. */
const KEPT_FILES = 3;
/** Params that say what a call was about. Others may be secrets, or words of people. */
const NAMES = [
  'key',
  'sessionKey',
  'agentId',
  'sessionId',
  'runId',
  'id',
  'ids',
  'change',
  'archive',
  'reason',
] as const;
const LONGEST_NAME = 200;

export function openAuditLog(
  stateDir: string,
  { now, log }: { now(): number; log(line: string): void },
): AuditLog {
  const path = auditPathOf(stateDir);
  let waiting: Batch | undefined;
  let writing: Promise<void> | undefined;
  let hasFailed = false;

  const writeAll = async () => {
    for (let batch = waiting; batch !== undefined; batch = waiting) {
      waiting = undefined;
      try {
        await append(path, batch.lines.join(''));
        hasFailed = false;
      } catch (error) {
        // Calls go on: a full disk would else lock the owner out.
        if (!hasFailed) log(`Cannot write the audit log: ${(error as Error).message}`);
        hasFailed = true;
      }
      batch.written.resolve();
    }
    writing = undefined;
  };
  const add = (line: object): Promise<void> => {
    waiting ??= { lines: [], written: Promise.withResolvers() };
    const batch = waiting;
    batch.lines.push(`${JSON.stringify({ ts: new Date(now()).toISOString(), ...line })}\n`);
    writing ??= writeAll();
    return batch.written.promise;
  };

  return {
    async begin({ method, params, caller, address }) {
      const { id, mode, displayName } = caller.client;
      const startedAt = now();
      const line = {
        callId: randomUUID(),
        method,
        about: namesIn(params),
        connId: caller.connId,
        address,
        client: { id, mode, displayName },
        deviceId: caller.deviceId,
      };
      await add({ ...line, outcome: 'begun' });
      return (outcome) => {
        const durationMs = Math.round(now() - startedAt);
        void add({ ...line, outcome: outcome.ok ? 'ok' : outcome.error.code, durationMs });
      };
    },
    note: (what, about) => void add({ method: what, about }),
    async close() {
      await writing;
    },
  };
}

interface Batch {
  readonly lines: string[];
  readonly written: PromiseWithResolvers<void>;
}

async function append(path: string, text: string): Promise<void> {
  let file = await openForLines(path);
  try {
    const { size } = await file.stat();
    if (size > 0 && size + text.length > LARGEST_FILE) {
      await file.close();
      for (let at = KEPT_FILES - 1; at >= 1; at--)
        await rename(`${path}.${at}`, `${path}.${at + 1}`).catch(() => {});
      await rename(path, `${path}.1`);
      file = await openForLines(path);
    }
    await file.appendFile(text);
  } finally {
    await file.close();
  }
}

async function openForLines(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'a', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await makeFolder(join(path, '..'));
    return open(path, 'a', 0o600);
  }
}

function namesIn(params: unknown): Readonly<Record<string, string>> {
  const given = (params ?? {}) as Readonly<Record<string, unknown>>;
  const named = NAMES.flatMap((name) => {
    const value = given[name];
    const text = Array.isArray(value) && value.every(Number.isInteger) ? value.join() : value;
    return typeof text === 'string' ? [[name, text.slice(0, LONGEST_NAME)] as const] : [];
  });
  return Object.fromEntries(named);
}
