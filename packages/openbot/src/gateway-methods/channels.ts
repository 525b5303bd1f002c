import { normalizeAccountId } from '@openbot/sessions/key';
import { type ChannelState, WEB_CHANNEL } from '../agent-host/contract.ts';
import { listChannelAccounts } from '../channels/accounts.ts';
import { findKind } from '../channels/all.ts';
import type { MethodCall } from '../gateway-protocol/method.ts';
import { filledText, flag, integer, maybe } from '../gateway-protocol/param-shapes.ts';
import { resolveRoute } from '../routing/resolve-route.ts';
import { type GatewayServices, gatewayMethod, mayReach } from './services.ts';

type Call = Pick<MethodCall<GatewayServices>, 'caller' | 'services'>;

/** An account of a chat network, as far as the caller may know of it. */
interface Account {
  readonly channel: string;
  readonly accountId: string;
  readonly name?: string;
  readonly isEnabled: boolean;
  readonly isConfigured: boolean;
  /** What the host says of it; absent while it has not opened it. */
  readonly state?: ChannelState;
}

/** Those of the configuration, and those that the host has open. */
function listAllAccounts({ config, host }: GatewayServices): readonly Account[] {
  // What it last said: who looks at the state of the gateway neither waits for a blocked process nor wakes one that rests.
  const opened = host.status.channels.filter(({ channel }) => channel !== WEB_CHANNEL);
  const configured = listChannelAccounts(config).map(
    ({ channel, accountId, isEnabled, settings }): Account => ({
      channel,
      accountId,
      ...(typeof settings.name === 'string' && { name: settings.name }),
      isEnabled,
      isConfigured: true,
      state: opened.find((one) => one.channel === channel && one.accountId === accountId),
    }),
  );
  const others = opened
    .filter((state) => !configured.some((one) => one.state === state))
    .map((state): Account => {
      const { channel, accountId } = state;
      return { channel, accountId, isEnabled: true, isConfigured: false, state };
    });
  return [...configured, ...others];
}

function listAccounts({ services, caller }: Call): readonly Account[] {
  const { config } = services;
  return listAllAccounts(services).filter(
    ({ channel, accountId }) =>
      caller.agentIds === undefined || mayReach(caller, resolveRoute({ config, channel, accountId }).agentId),
  );
}

interface Recipient {
  readonly channel: string;
  readonly accountId: string;
  readonly to: string;
}

/**
 * Whether messages from there come to an agent of the caller, whichever agent a request names. An address alone does not
 * say whether it is a person or a group, so both must.
 */
export function mayWriteTo({ services, caller }: Call, { channel, accountId, to }: Recipient): boolean {
  if (caller.agentIds === undefined) return true;
  const { config } = services;
  const [, prefix, rest] = /^([^:]+):(.+)$/.exec(to.trim()) ?? [];
  const within = prefix?.toLowerCase() === channel.toLowerCase() ? rest! : to.trim();
  const id = within.replace(/^(?:dm|direct|user|group|channel):/i, '');
  return (['direct', 'group'] as const).every((kind) =>
    mayReach(caller, resolveRoute({ config, channel, accountId, peer: { kind, id } }).agentId),
  );
}

/** The account by which the caller may write there. @param accountId the only one that it may be */
export function findWritableAccount(
  call: Call,
  { accountId, ...where }: Omit<Recipient, 'accountId'> & { readonly accountId?: string },
): string | undefined {
  const known = listAllAccounts(call.services).filter(({ channel }) => channel === where.channel);
  return known
    .map((one) => one.accountId)
    .filter((one) => accountId === undefined || one === normalizeAccountId(accountId))
    .find((one) => mayWriteTo(call, { ...where, accountId: one }));
}

/** As `channels.status` and `health` have them. */
export function describeChannelsFor(call: Call, only?: string) {
  const accounts = listAccounts(call).filter(({ channel }) => only === undefined || channel === only);
  const byChannel = Map.groupBy(accounts, ({ channel }) => channel);
  const each = <T>(make: (all: readonly Account[], channel: string) => T) =>
    Object.fromEntries([...byChannel].map(([channel, all]) => [channel, make(all, channel)]));
  return {
    channelOrder: [...byChannel.keys()],
    channelLabels: each((_all, channel) => labelOf(channel)),
    channelDetailLabels: each((_all, channel) => labelOf(channel)),
    channelSystemImages: {},
    channelMeta: [...byChannel.keys()].map((id) => ({ id, label: labelOf(id), detailLabel: labelOf(id) })),
    channels: each((all) => ({
      configured: all.some(({ isConfigured }) => isConfigured),
      running: all.some(isRunning),
      connected: all.some(isConnected),
      lastError: all.flatMap(({ state }) => state?.lastError ?? [])[0] ?? null,
    })),
    channelAccounts: each((all) => all.map(describeAccount)),
    channelDefaultAccountId: each((all) => all[0]!.accountId),
    channelSummary: accounts.flatMap(({ state }) => state?.summary ?? []),
  };
}

/** It tries to be connected; one that only a person can mend does not. */
function isRunning({ state }: Account): boolean {
  return state !== undefined && state.health.state !== 'failed' && state.health.state !== 'stopped';
}

function isConnected({ state }: Account): boolean {
  return state?.health.state === 'connected';
}

/** The names are OpenClaw's. Times are ms, and null where there was none. */
function describeAccount(account: Account) {
  const { accountId, name, isEnabled, isConfigured, state } = account;
  const { health, summary, startedAt, lastInboundAt, lastOutboundAt, lastError, capabilities } = state ?? {};
  return {
    accountId,
    name,
    enabled: isEnabled,
    configured: isConfigured,
    running: isRunning(account),
    connected: isConnected(account),
    healthState: health?.state ?? 'stopped',
    lastStartAt: startedAt ?? null,
    lastConnectedAt: health?.state === 'connected' ? health.since : null,
    lastDisconnectAt: health?.state === 'reconnecting' ? health.since : null,
    nextTryAt: health?.state === 'reconnecting' ? health.nextTryAt : undefined,
    lastInboundAt: lastInboundAt ?? null,
    lastOutboundAt: lastOutboundAt ?? null,
    lastError: lastError ?? (health && 'error' in health ? health.error : null),
    capabilities,
    summary,
  };
}

function listIssues(state: ChannelState | undefined) {
  if (state === undefined) return [];
  const { health } = state;
  if ('error' in health) return [{ kind: 'runtime', message: health.error }];
  return 'warning' in health ? [{ kind: 'config', message: health.warning! }] : [];
}

function labelOf(channel: string): string {
  return findKind(channel)?.label ?? channel.slice(0, 1).toUpperCase() + channel.slice(1);
}

const status = gatewayMethod({
  name: 'channels.status',
  scope: 'operator.read',
  params: { probe: maybe(flag), timeoutMs: maybe(integer({ least: 0 })), channel: maybe(filledText) },
  handle: ({ channel }, call) => {
    const { channelSummary: _summary, ...described } = describeChannelsFor(call, channel);
    const statusIssues = listAccounts(call).flatMap(({ channel: name, accountId, state }) =>
      channel === undefined || name === channel
        ? listIssues(state).map((issue) => ({ channel: name, accountId, ...issue }))
        : [],
    );
    return { ts: call.services.now(), ...described, statusIssues };
  },
});

export const CHANNEL_METHODS = [status];
