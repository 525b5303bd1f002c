import { randomUUID } from 'node:crypto';
import type { StoredSession } from '@openbot/sessions';
import { readFileLinesBackwards } from '@openbot/sessions/transcript';
import { filledText, flag, integer, maybe, oneOf } from '../../gateway-protocol/param-shapes.ts';
import { refuse } from '../../gateway-protocol/wire-errors.ts';
import type { SessionRef } from '../../session-address.ts';
import { changeSettings } from '../../session-settings/change-settings.ts';
import { announceChange, announceRemoval } from '../announce.ts';
import { type GatewayServices, gatewayMethod } from '../services.ts';
import { assertExpectedId, assertNotMain } from './guards.ts';
import { reachableRef, sessionsOf, storedOf } from './session-ref.ts';
import { createdNow, resolvedModel, showEntry } from './shown-entry.ts';
import { compactLines, openChangesOf, whileIdle } from './stop-run.ts';
import { transcriptOf } from './transcript-of.ts';

const reset = gatewayMethod({
  name: 'sessions.reset',
  scope: 'operator.admin',
  params: {
    key: filledText,
    agentId: maybe(filledText),
    reason: maybe(oneOf('new', 'reset')),
    expectedSessionId: maybe(filledText),
  },
  handle: async ({ key, agentId, reason = 'reset', expectedSessionId }, call) => {
    const { services, signal } = call;
    const ref = reachableRef(call, key, agentId);
    assertExpectedId(ref, await storedOf(services, ref), expectedSessionId);
    const archived = await whileIdle(services, ref, { stops: true, signal }, async () => {
      const stored = await storedOf(services, ref);
      assertExpectedId(ref, stored, expectedSessionId);
      if (stored === undefined) return createEntry(services, ref);
      return (await (await openChangesOf(services, ref.agentId)).reset(stored)).archived;
    });
    const entry = (await storedOf(services, ref))?.entry;
    await announceChange(services, ref, { reason });
    return {
      ok: true,
      key: ref.sessionKey,
      entry: entry && showEntry(entry, call.caller),
      resolved: await resolvedModel(services, ref),
      archived,
    };
  },
});

async function createEntry(
  services: GatewayServices,
  { agentId, sessionKey }: SessionRef,
): Promise<string[]> {
  const sessions = sessionsOf(services, agentId);
  await changeSettings(sessions, sessionKey, createdNow(services), { message: {}, now: services.now });
  return [];
}

const remove = gatewayMethod({
  name: 'sessions.delete',
  scope: 'operator.admin',
  params: {
    key: filledText,
    agentId: maybe(filledText),
    deleteTranscript: maybe(flag),
    expectedSessionId: maybe(filledText),
  },
  handle: async ({ key, agentId, deleteTranscript = true, expectedSessionId }, call) => {
    const { services, signal } = call;
    const ref = reachableRef(call, key, agentId);
    assertNotMain(services, ref, 'delete');
    const found = await storedOf(services, ref);
    assertExpectedId(ref, found, expectedSessionId);
    const none = { ok: true, key: ref.sessionKey, deleted: false, archived: [] };
    if (found === undefined) return none;
    return whileIdle(services, ref, { stops: true, signal }, async () => {
      const stored = await storedOf(services, ref);
      assertExpectedId(ref, stored, expectedSessionId);
      if (stored === undefined) return none;
      const changes = await openChangesOf(services, ref.agentId);
      const { archived } = await changes.remove(stored, { keepsTranscript: !deleteTranscript });
      announceRemoval(services, ref, stored.entry.sessionId);
      return { ok: true, key: ref.sessionKey, deleted: true, archived };
    });
  },
});

/** A model may take its time for a summary. */
const COMPACT_MS = 10 * 60_000;

const compact = gatewayMethod({
  name: 'sessions.compact',
  scope: 'operator.admin',
  params: {
    key: filledText,
    agentId: maybe(filledText),
    maxLines: maybe(integer({ least: 1 })),
    instructions: maybe(filledText),
  },
  handle: async ({ key, agentId, maxLines, instructions }, call) => {
    const { services, signal } = call;
    const ref = reachableRef(call, key, agentId);
    const stored = await storedOf(services, ref);
    const common = { ok: true, key: ref.sessionKey };
    if (stored === undefined) return { ...common, compacted: false, reason: 'no sessionId' };
    const outcome =
      maxLines === undefined
        ? await compactByModel(services, ref, stored, { instructions, signal })
        : await whileIdle(services, ref, { signal }, () => cutLines(services, ref, maxLines));
    if (outcome.compacted) await announceChange(services, ref, { reason: 'compact', compacted: true });
    return { ...common, ...outcome };
  },
});

/** The header is not counted. */
async function cutLines(services: GatewayServices, ref: SessionRef, maxLines: number) {
  const stored = await storedOf(services, ref);
  if (stored === undefined) return { compacted: false, reason: 'no sessionId' };
  const given = { stored, maxLines, holdsRun: true };
  const { reason, kept, archived } = await compactLines(services, ref.agentId, given);
  return reason === undefined
    ? { compacted: true, kept: Math.min(kept, maxLines), archived }
    : { compacted: false, kept, reason };
}

/** The host does what the chat command does: it has the model, and it waits for the end of a run. */
async function compactByModel(
  { host, runs, stateDir }: GatewayServices,
  ref: SessionRef,
  stored: StoredSession,
  { instructions, signal }: { readonly instructions?: string; readonly signal: AbortSignal },
) {
  const { sessionFile } = transcriptOf(stateDir, ref, stored);
  const before = await findCompaction(sessionFile);
  const messageId = `compact-${randomUUID()}`;
  await host.calls.accept({
    ...ref,
    messageId,
    mayCommand: true,
    text: `/compact ${instructions ?? ''}`.trim(),
  });
  const ending = await runs.waitForEnd({ ...ref, runId: messageId }, { timeoutMs: COMPACT_MS, signal });
  if (ending === undefined)
    throw refuse('UNAVAILABLE', `The compaction of ${ref.sessionKey} is still under way`, {
      retryable: true,
    });
  const result = await findCompaction(sessionFile);
  if (result !== undefined && result.id !== before?.id) {
    const { id: _id, ...shown } = result;
    return { compacted: true, result: shown };
  }
  const { payloads, error } = ending.report;
  const said = payloads[0]?.text?.replace(/^Not compacted: /, '');
  return { compacted: false, reason: error?.message ?? said ?? 'nothing to compact' };
}

/** The last summary of a transcript. */
async function findCompaction(path: string) {
  try {
    for await (const { bytes } of readFileLinesBackwards(path)) {
      if (bytes === undefined || !bytes.includes('"compaction"')) continue;
      const { type, id, summary, firstKeptEntryId, tokensBefore, details } = JSON.parse(
        bytes.toString('utf8'),
      );
      if (type === 'compaction') return { id, summary, firstKeptEntryId, tokensBefore, details };
    }
  } catch (error) {
    // There is no transcript yet, or its last line is being written.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
  }
  return undefined;
}

export const SESSION_CHANGE_METHODS = [reset, remove, compact];
