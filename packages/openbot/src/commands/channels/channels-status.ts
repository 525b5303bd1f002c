import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable, wrapText } from '@openbot/sessions/terminal-text';
import { listChannelAccounts } from '../../channels/accounts.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import { lookAtGateway } from '../../gateway-client/look-at-gateway.ts';
import { showHealth } from '../gateway/describe-gateway.ts';
import type { CHANNELS_STATUS_FLAGS } from './flags.ts';

/** Tells of each account whether it is connected. */
export async function channelsStatus({
  flags,
  env,
  terminal,
}: CommandInput<typeof CHANNELS_STATUS_FLAGS>): Promise<void> {
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const { config } = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true });
  const { running, channels: live = [] } = await lookAtGateway(stateDir);
  const accounts = listChannelAccounts(config, { env }).map(({ channel, accountId, isEnabled }) => {
    const state = live.find((one) => one.channel === channel && one.accountId === accountId);
    return {
      channel,
      accountId,
      health: { state: 'stopped' as const },
      ...state,
      enabled: isEnabled,
    };
  });
  if (flags.json) return writeJson(terminal, { running, accounts });
  const { palette, maxLineWidth } = terminal;
  const now = Date.now();
  const lines = accounts.map(({ enabled, ...one }) => {
    const says = !enabled ? 'off' : running ? showHealth(one, { now, palette }) : 'not open';
    return `${printable(one.channel)} (${printable(one.accountId)}): ${says}`;
  });
  const notes = [
    ...(accounts.length === 0
      ? ['No channel is configured. To add one: openbot channels add <network>']
      : []),
    ...(running || accounts.length === 0 ? [] : ['The gateway is not running: openbot gateway start']),
  ];
  const shown = [...lines, ...notes].flatMap((line) =>
    Number.isFinite(maxLineWidth) ? wrapText(line, maxLineWidth) : [line],
  );
  terminal.write(`${shown.join('\n')}\n`);
}
