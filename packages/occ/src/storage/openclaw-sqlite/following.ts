import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  iterateEventsAfter,
  listTranscriptVersions,
  type OpenclawDatabase,
  readSessionDatabase,
  readTranscriptVersion,
} from '@openbot/sessions/openclaw-database';
import type { SessionAddress } from '../contract/finding.ts';
import type {
  FollowingStorage,
  LinesRequest,
  ReadLines,
  ReadPlace,
  TranscriptState,
} from '../contract/following.ts';

export const sqliteFollowing: FollowingStorage = {
  async readStates(sessions) {
    const states = new Map<(typeof sessions)[number], TranscriptState>();
    for (const [path, here] of Map.groupBy(sessions, (session) => session.path)) {
      const versions = existsSync(path) ? readSessionDatabase(path, listTranscriptVersions) : undefined;
      for (const session of here) {
        const version = versions?.get(session.sessionId);
        if (version !== undefined) states.set(session, stateOf(version));
      }
    }
    return states;
  },
  async readLines(session, request) {
    if (!existsSync(session.path)) return undefined;
    // Reading may begin again when another process wrote meanwhile, so lines are handed out when it has ended.
    const found = readSessionDatabase(session.path, (database) => collect(database, session, request));
    if (found === undefined) return undefined;
    for (const { seq, line } of found.lines) request.onLine(line, seq);
    return found.read;
  },
};

interface Collected {
  readonly lines: readonly { readonly seq: number; readonly line: Buffer }[];
  readonly read: ReadLines;
}

function collect(
  database: OpenclawDatabase,
  { sessionId }: SessionAddress,
  { from, maxBytes = Number.POSITIVE_INFINITY }: LinesRequest,
): Collected | undefined {
  const version = readTranscriptVersion(database, sessionId);
  if (version.lastSeq < 0) return undefined;
  const state = stateOf(version);
  const continues = from !== undefined && isStillThere(database, sessionId, state, from);
  const start = continues ? from.position : 0;
  const lines: { seq: number; line: Buffer }[] = [];
  let bytes = 0;
  let place: ReadPlace = continues ? from : { generation: state.generation, position: 0, hash: '' };
  for (const { seq, line } of iterateEventsAfter(database, sessionId, start - 1)) {
    if (bytes >= maxBytes) return { lines, read: { continues, place, isEnd: false, state } };
    if (line !== undefined) lines.push({ seq, line });
    bytes += line?.length ?? 0;
    place = placeAfter(state, seq, line);
  }
  return { lines, read: { continues, place, isEnd: true, state } };
}

function placeAfter({ generation }: TranscriptState, seq: number, line: Buffer | undefined): ReadPlace {
  return { generation, position: seq + 1, hash: hash('sha1', line ?? '') };
}

function isStillThere(
  database: OpenclawDatabase,
  sessionId: string,
  state: TranscriptState,
  from: ReadPlace,
): boolean {
  if (from.generation !== state.generation || from.position > state.size) return false;
  if (from.position === 0) return true;
  const [last] = iterateEventsAfter(database, sessionId, from.position - 2);
  return last?.seq === from.position - 1 && placeAfter(state, last.seq, last.line).hash === from.hash;
}

function stateOf({
  generation,
  lastSeq,
  updatedAt,
}: ReturnType<typeof readTranscriptVersion>): TranscriptState {
  return { generation: generation ?? '', size: lastSeq + 1, updatedAt: updatedAt ?? 0 };
}
