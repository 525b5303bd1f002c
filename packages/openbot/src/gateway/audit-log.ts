/** Which calls with the rights of the owner were made, by whom. One JSON object in each line. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@openbot/sessions/disk';
import type { Caller } from '../gateway-protocol/method.ts';
import type { Outcome, Request } from './request.ts';

export interface AuditLog {
  /** Resolves when the log has that the call begins, whatever becomes of it. The function is told how it ended. */
  begin(request: Request): Promise<(outcome: Outcome) => void>;
  /** A call that was refused before it began. Of those of a caller one in a minute is written: else they would push out the rest. */
  refused(request: Request): void;
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
const REFUSED_EVERY_MS = 60_000;
const MOST_REFUSED = 1_000;

export function openAuditLog(
  stateDir: string,
  { now, log }: { now(): number; log(line: string): void },
): AuditLog {
  const path = auditPathOf(stateDir);
  let waiting: Batch | undefined;
  let writing: Promise<void> | undefined;
  let hasFailed = false;
  /** By caller: when one was last written, and how many came since. */
  const refusals = new Map<string, { readonly since: number; more: number }>();

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
      const startedAt = now();
      const line = {
        callId: randomUUID(),
        method,
        about: namesIn(params),
        connId: caller.connId,
        ...whoIs(caller, address),
      };
      await add({ ...line, outcome: 'begun' });
      return (outcome) => {
        const durationMs = Math.round(now() - startedAt);
        void add({ ...line, outcome: outcome.ok ? 'ok' : outcome.error.code, durationMs });
      };
    },
    refused({ method, caller, address }) {
      const { client, ...who } = whoIs(caller, address);
      const name = JSON.stringify(who);
      const former = refusals.get(name);
      if (former !== undefined && now() - former.since < REFUSED_EVERY_MS) {
        former.more++;
        return;
      }
      // The first is the oldest.
      refusals.delete(name);
      if (refusals.size >= MOST_REFUSED) refusals.delete(refusals.keys().next().value!);
      refusals.set(name, { since: now(), more: 0 });
      void add({ method, ...who, client, outcome: 'refused', ...(former?.more && { more: former.more }) });
    },
    note: (what, about) => void add({ method: what, about }),
    async close() {
      await writing;
    },
  };
}

function whoIs({ client, agentIds, deviceId, isCommand }: Caller, address: string) {
  const { id, mode, displayName } = client;
  const via =
    agentIds !== undefined
      ? 'agent-token'
      : deviceId !== undefined
        ? 'device'
        : isCommand
          ? 'command'
          : 'token';
  return {
    address,
    client: { id, mode, displayName },
    via,
    deviceId,
    ...(agentIds !== undefined && { agentIds: [...agentIds] }),
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
