import { existsSync } from 'node:fs';
import type { StoredSession } from '@openbot/sessions';
import type { MethodCall } from '../gateway-protocol/method.ts';
import { filledText, flag, integer, maybe, oneOf } from '../gateway-protocol/param-shapes.ts';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import type { SessionRef } from '../session-address.ts';
import { changeSettings } from '../session-settings/change-settings.ts';
import type { EntryPatch } from '../session-settings/contract.ts';
import { announceChange } from './announce.ts';
import { type GatewayServices, gatewayMethod } from './services.ts';
import { whileIdle } from './stop-run.ts';
import { reachableRef, sessionsOf, storedOf, visibleRef } from './sessions/session-ref.ts';
import { transcriptOf } from './sessions/transcript-of.ts';

type Call = MethodCall<GatewayServices>;

const PRESETS = ['default', 'aggressive', 'extreme'] as const;
const SESSION = { key: filledText, agentId: maybe(filledText) } as const;
const CLEAN = { ...SESSION, preset: maybe(oneOf(...PRESETS)), keep: maybe(integer({ least: 0 })) } as const;

/** Of a caller that asks to wait for the end of a run. */
const IDLE_MS = 60 * 60_000;

const context = gatewayMethod({
  name: 'openbot.context',
  scope: 'operator.read',
  params: SESSION,
  handle: async ({ key, agentId }, call) => {
    const { ref, path } = await findTranscript(call, key, agentId);
    // Loaded when it is asked for: the cleaner is larger than all other methods together.
    const { describeSession, resolveToolRemovalOptions } = await import('oc-context-cleaner');
    const presets = Object.fromEntries(
      PRESETS.map((preset) => [preset, resolveToolRemovalOptions({ preset })]),
    );
    const { info } = await describeSession({ ...scopeOf(call.services, path), presets });
    const { path: _path, ...shown } = info;
    const row = await call.services.rows.find(ref);
    const tokens = typeof row?.contextTokens === 'number' ? row.contextTokens : undefined;
    const window = tokens && { tokens, percent: Math.round((100 * info.tokens.context) / tokens) };
    return { ...shown, ...ref, key: ref.sessionKey, ...(window && { window }) };
  },
});

/** In a folder of this program sessions are found by the path of their transcript; variables of this process mean nothing. */
function scopeOf({ stateDir }: GatewayServices, path: string) {
  return { scope: { env: {}, cwd: stateDir, source: 'openclaw' as const }, sessionId: path };
}

const plan = gatewayMethod({
  name: 'openbot.clean.plan',
  scope: 'operator.read',
  params: CLEAN,
  handle: async ({ key, agentId, preset = 'default', keep }, call) => {
    const { ref, path } = await findTranscript(call, key, agentId);
    const { executeEdit } = await import('oc-context-cleaner');
    const { statistics, tokens, note } = await executeEdit({
      sessionId: path,
      source: 'openclaw',
      cwd: call.services.stateDir,
      env: {},
      force: true,
      dryRun: true,
      toolRemoval: { preset, keepTurnsWithTools: keep },
    });
    return { key: ref.sessionKey, preset, keep, statistics, tokens, note };
  },
});

const apply = gatewayMethod({
  name: 'openbot.clean.apply',
  scope: 'operator.admin',
  params: { ...CLEAN, whenIdle: maybe(flag) },
  handle: ({ key, agentId, preset = 'default', keep, whenIdle }, call) =>
    changeTranscript(call, { key, agentId, whenIdle }, async (transcripts, transcript) => {
      const { changed, savedTokens } = await transcripts.clean(transcript, { preset, keep });
      const at = call.services.now();
      const patch: EntryPatch | undefined = changed ? { lastClean: { at, savedTokens, preset } } : undefined;
      return { patch, result: { changed, savedTokens, preset } };
    }),
});

const restore = gatewayMethod({
  name: 'openbot.clean.restore',
  scope: 'operator.admin',
  params: { ...SESSION, whenIdle: maybe(flag) },
  handle: (params, call) =>
    changeTranscript(call, params, async (transcripts, transcript) => {
      const { restored, linesKept } = await transcripts.restore(transcript);
      const patch: EntryPatch | undefined = restored ? { lastClean: undefined } : undefined;
      return { patch, result: { restored, linesKept } };
    }),
});

type Transcripts = GatewayServices['state']['transcripts'];

/** As the chat commands `/clean` and `/restore` do it: with the run lock of the session, and noted in its entry. */
async function changeTranscript(
  call: Call,
  {
    key,
    agentId,
    whenIdle = false,
  }: { readonly key: string; readonly agentId?: string; readonly whenIdle?: boolean },
  change: (
    transcripts: Transcripts,
    transcript: ReturnType<typeof transcriptOf>,
  ) => Promise<{ readonly patch?: EntryPatch; readonly result: object }>,
): Promise<object> {
  const { services, signal } = call;
  const ref = reachableRef(call, key, agentId);
  await requireStored(services, ref);
  return whileIdle(services, ref, { waitMs: whenIdle ? IDLE_MS : 0, signal }, async () => {
    // It may be another session since it was waited for.
    const stored = await requireStored(services, ref);
    const transcript = transcriptOf(services.stateDir, ref, stored);
    const { patch, result } = await change(services.state.transcripts, transcript);
    if (patch !== undefined) {
      await changeSettings(sessionsOf(services, ref.agentId), ref.sessionKey, patch, { now: services.now });
      await announceChange(services, ref, { reason: 'compact', compacted: true });
    }
    const contextTokens = await services.state.transcripts.measureContext(transcript);
    return { ok: true, key: ref.sessionKey, ...result, contextTokens };
  });
}

async function requireStored(services: GatewayServices, ref: SessionRef): Promise<StoredSession> {
  const stored = await storedOf(services, ref);
  if (stored === undefined) throw refuse('INVALID_REQUEST', `No session found: ${ref.sessionKey}`);
  return stored;
}

async function findTranscript(call: Call, key: string, agentId: string | undefined) {
  const ref = visibleRef(call, key, agentId);
  const stored = ref && (await storedOf(call.services, ref));
  if (ref === undefined || stored === undefined) throw refuse('INVALID_REQUEST', `No session found: ${key}`);
  const { sessionFile: path } = transcriptOf(call.services.stateDir, ref, stored);
  if (!existsSync(path)) throw refuse('INVALID_REQUEST', `Nothing was said in ${ref.sessionKey} yet`);
  return { ref, path };
}

export const CLEAN_METHODS = [context, plan, apply, restore];
