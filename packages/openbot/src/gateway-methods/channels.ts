import { normalizeAccountId } from '@openbot/sessions/key';
import { WEB_CHANNEL } from '../agent-host/contract.ts';
import type { MethodCall } from '../gateway-protocol/method.ts';
import { filledText, flag, integer, maybe } from '../gateway-protocol/param-shapes.ts';
import { resolveRoute } from '../routing/resolve-route.ts';
import { describeChannels } from '../state-report/parts.ts';
import { type GatewayServices, gatewayMethod, mayReach } from './services.ts';

type Call = Pick<MethodCall<GatewayServices>, 'caller' | 'services'>;

const DEFAULT_ACCOUNT = normalizeAccountId(undefined);

/** An account of a chat network, as far as the caller may know of it. */
interface Account {
  readonly channel: string;
  readonly accountId: string;
  readonly isEnabled: boolean;
  readonly isConfigured: boolean;
  readonly isRunning: boolean;
  readonly summary?: string;
}

/** Those of the configuration, and those that the host has open. */
function listAccounts({ services, caller }: Call): readonly Account[] {
  const { config, host } = services;
  // What it last said: who looks at the state of the gateway neither waits for a blocked process nor wakes one that rests.
  const opened = host.status.channels.filter(({ channel }) => channel !== WEB_CHANNEL);
  const isOpen = (channel: string, accountId: string) =>
    opened.find((one) => one.channel === channel && one.accountId === accountId);
  const configured = describeChannels(config).flatMap(({ name, enabled, accounts }) =>
    (accounts.length === 0 ? [DEFAULT_ACCOUNT] : accounts).map((accountId): Account => {
      const running = isOpen(name, accountId);
      return {
        channel: name,
        accountId,
        isEnabled: enabled,
        isConfigured: true,
        isRunning: running !== undefined,
        summary: running?.summary,
      };
    }),
  );
  const others = opened
    .filter(
      ({ channel, accountId }) =>
        !configured.some((one) => one.channel === channel && one.accountId === accountId),
    )
    .map(
      ({ channel, accountId, summary }): Account => ({
        channel,
        accountId,
        isEnabled: true,
        isConfigured: false,
        isRunning: true,
        summary,
      }),
    );
  return [...configured, ...others].filter(
    ({ channel, accountId }) =>
      caller.agentIds === undefined || mayReach(caller, resolveRoute({ config, channel, accountId }).agentId),
  );
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
      running: all.some(({ isRunning }) => isRunning),
      lastError: null,
    })),
    channelAccounts: each((all) =>
      all.map(({ accountId, isEnabled, isConfigured, isRunning, summary }) => ({
        accountId,
        enabled: isEnabled,
        configured: isConfigured,
        running: isRunning,
        connected: isRunning,
        lastError: null,
        summary,
      })),
    ),
    channelDefaultAccountId: each((all) => all[0]!.accountId),
    channelSummary: accounts.flatMap(({ summary }) => summary ?? []),
  };
}

/** `Telegram` */
function labelOf(channel: string): string {
  return channel.slice(0, 1).toUpperCase() + channel.slice(1);
}

const status = gatewayMethod({
  name: 'channels.status',
  scope: 'operator.read',
  params: { probe: maybe(flag), timeoutMs: maybe(integer({ least: 0 })), channel: maybe(filledText) },
  handle: ({ channel }, call) => {
    const { channelSummary: _summary, ...described } = describeChannelsFor(call, channel);
    return { ts: call.services.now(), ...described, statusIssues: [] };
  },
});

export const CHANNEL_METHODS = [status];
