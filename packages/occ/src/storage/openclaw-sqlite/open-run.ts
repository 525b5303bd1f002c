import { setTimeout as sleep } from 'node:timers/promises';
import type { Transcript } from '@openbot/sessions';
import { isHolderAlive, type ProcessIdentity } from '@openbot/sessions/disk';
import { readOpenclawDatabase } from '@openbot/sessions/openclaw-database';
import { isBoundSession, judgeLastExchange, type ReadExchange } from '../../in-use/last-exchange.ts';
import { isRecent, type UnfinishedUse } from '../../in-use/session-use.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { OwnRun } from '../contract/use.ts';
import {
  findRunInProgress,
  glanceAt,
  type RunInProgress,
  readSnapshot,
  type SessionSnapshot,
} from './figures/run-in-progress.ts';
import { readSession } from './readable-session.ts';

interface RunWait {
  readonly waitMs: number;
  readonly runner: Partial<ProcessIdentity> | undefined;
}

const POLL_MS = 500;
/** The end of a process changes no file, so that the session is looked at from time to time in any case. */
const MOST_GLANCES = 10;
/** OpenClaw still writes when a run is over, and fails if its session is changed at that time. */
const QUIET_MS = 1000;

/**
 * Looks for a run in progress of a session whose thinking is bound to what was said before it. It goes on with what it has
 * in memory, and what it thinks would count behind no other messages. Of other sessions a run survives every change.
 *
 * The lines are read again only where they may tell something else.
 */
export class OpenRunSearch {
  readonly #session: FoundSession;
  #seen: (Pick<SessionSnapshot, 'generation' | 'lastSeq'> & ReadExchange) | undefined;

  constructor(session: FoundSession) {
    this.#session = session;
  }

  /** @param runner the process that ran the session, where that is known: while it lives an unfinished exchange may go on */
  find(
    ownRun: OwnRun,
    found: RunInProgress,
    runner: Partial<ProcessIdentity> | undefined,
  ): UnfinishedUse | undefined {
    const { path, sessionId, updatedAt } = this.#session;
    const snapshot = readSnapshot(path, sessionId);
    const times = snapshot.entries.map((entry) => Number(entry.updatedAt) || 0);
    const ageMs = Date.now() - Math.max(updatedAt, ...times);
    const mayBeOpen = isRecent(ageMs) || (runner !== undefined && isHolderAlive(runner) !== 'dead');
    if (!found.isInRun && !mayBeOpen) return undefined;
    const read = this.#read(snapshot, found.isInRun);
    if (!read?.isBound || !(found.isInRun || read.exchange === 'unfinished')) return undefined;
    return { kind: 'unfinished', ageMs, ownRun, bindsThinking: true, runner: found.runner };
  }

  /** Waits for the end of such a run. Returns it if it has not ended in that time. */
  async wait({ waitMs, runner }: RunWait): Promise<UnfinishedUse | undefined> {
    const { path, sessionId } = this.#session;
    const until = performance.now() + waitMs;
    let last: { readonly state: string; readonly since: number } | undefined;
    for (;;) {
      const glance = glanceAt(path);
      const use = this.find('no', findRunInProgress(this.#session, 'no'), runner);
      const now = performance.now();
      if (use === undefined) {
        const state = JSON.stringify(readSnapshot(path, sessionId));
        if (state !== last?.state) last = { state, since: now };
        if (now - last.since >= QUIET_MS) return undefined;
        await sleep(QUIET_MS / 5);
        continue;
      }
      last = undefined;
      for (let glances = 0; glances < MOST_GLANCES; glances++) {
        const left = until - performance.now();
        if (left <= 0) return use;
        await sleep(Math.min(POLL_MS, left));
        if (glanceAt(path) !== glance) break;
      }
    }
  }

  /** @param isInRun how the exchange ends does not matter, and lines that are added change nothing else */
  #read({ generation, lastSeq }: SessionSnapshot, isInRun: boolean): ReadExchange | undefined {
    const seen = this.#seen;
    const isSame = seen?.generation === generation && (seen.lastSeq === lastSeq || (isInRun && seen.isBound));
    if (isSame) return seen;
    const transcript = tryToRead(this.#session);
    if (transcript === undefined) return undefined;
    const isBound = isBoundSession(transcript);
    this.#seen = { generation, lastSeq, exchange: judgeLastExchange(transcript), isBound };
    return this.#seen;
  }
}

function tryToRead({ path, sessionId }: FoundSession): Transcript | undefined {
  try {
    return readOpenclawDatabase(path, (database) => readSession(database, sessionId).transcript);
  } catch {
    // Whoever rewrites it says what is wrong with it.
    return undefined;
  }
}
