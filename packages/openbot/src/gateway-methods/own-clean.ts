import { existsSync } from 'node:fs';
import type { MethodCall } from '../gateway-protocol/method.ts';
import { filledText, flag, integer, maybe, oneOf } from '../gateway-protocol/param-shapes.ts';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import { type Given, PRESETS } from '../gateway-worker/contract.ts';
import { isTornStore } from '../store-care/tend-store.ts';
import { announceChange } from './announce.ts';
import { type GatewayServices, gatewayMethod } from './services.ts';
import { reachableRef, sessionsOf, storedOf, visibleRef } from './sessions/session-ref.ts';
import { transcriptOf } from './sessions/transcript-of.ts';

type Call = MethodCall<GatewayServices>;

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
    const info = await call.services.worker.run('context', { path }, call);
    const { path: _path, ...shown } = info;
    const row = await call.services.rows.find(ref);
    const tokens = typeof row?.contextTokens === 'number' ? row.contextTokens : undefined;
    const window = tokens && { tokens, percent: Math.round((100 * info.tokens.context) / tokens) };
    return { ...shown, ...ref, key: ref.sessionKey, ...(window && { window }) };
  },
});

const plan = gatewayMethod({
  name: 'openbot.clean.plan',
  scope: 'operator.read',
  params: CLEAN,
  handle: async ({ key, agentId, preset = 'default', keep }, call) => {
    const { ref, path } = await findTranscript(call, key, agentId);
    const planned = await call.services.worker.run('planClean', { path, preset, keep }, call);
    return { key: ref.sessionKey, preset, keep, ...planned };
  },
});

const apply = gatewayMethod({
  name: 'openbot.clean.apply',
  scope: 'operator.admin',
  params: { ...CLEAN, whenIdle: maybe(flag) },
  handle: ({ preset = 'default', keep, ...session }, call) =>
    rewrite(call, session, { clean: { preset, keep } }),
});

const restore = gatewayMethod({
  name: 'openbot.clean.restore',
  scope: 'operator.admin',
  params: { ...SESSION, whenIdle: maybe(flag) },
  handle: (session, call) => rewrite(call, session, {}),
});

async function rewrite(
  call: Call,
  {
    key,
    agentId,
    whenIdle,
  }: { readonly key: string; readonly agentId?: string; readonly whenIdle?: boolean },
  change: Pick<Given<'rewrite'>, 'clean'>,
): Promise<object> {
  const { services } = call;
  const { worker, now } = services;
  const ref = reachableRef(call, key, agentId);
  if ((await storedOf(services, ref)) === undefined)
    throw refuse('INVALID_REQUEST', `No session found: ${ref.sessionKey}`);
  const { storePath, mainKey } = sessionsOf(services, ref.agentId);
  const waitMs = whenIdle ? IDLE_MS : 0;
  const task = { ref, storePath, mainKey, waitMs, now: now(), ...change };
  const run = () => worker.run('rewrite', task, call);
  const { isNew, result } = await run().catch(async (error) => {
    // Torn while it waited for a run. The look makes it anew, which the worker must not.
    if (!isTornStore(error) || (await storedOf(services, ref)) === undefined) throw error;
    return run();
  });
  if (isNew) await announceChange(services, ref, { reason: 'compact', compacted: true });
  return { ok: true, key: ref.sessionKey, ...result };
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
