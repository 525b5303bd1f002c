import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { cutEnd, layOutTable, printable, type TableColumn, wrapText } from '@openbot/sessions/terminal-text';
import { type ChannelAccount, listChannelAccounts } from '../../channels/accounts.ts';
import { CHANNEL_KINDS, findKind } from '../../channels/all.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import { explainInstall, isInstalled } from '../../install-command.ts';
import type { CHANNELS_LIST_FLAGS } from './flags.ts';

interface Listed {
  readonly channel: string;
  readonly accountId: string;
  readonly name?: string;
  readonly enabled: boolean;
  readonly hasDriver: boolean;
  readonly hasCredential: boolean;
}

/** Lists the accounts of the configuration, and the networks that there are. */
export async function channelsList({
  flags,
  env,
  terminal,
}: CommandInput<typeof CHANNELS_LIST_FLAGS>): Promise<void> {
  const stateDir = resolveStateDir({ flag: flags.stateDir, env });
  const { config, path } = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true });
  const accounts = listChannelAccounts(config, { env }).map(describe);
  const networks = Object.entries(CHANNEL_KINDS).map(([name, kind]) => {
    const installed = kind.packages.every((one) => isInstalled(one));
    const install = installed ? '' : explainInstall(kind.packages.join(' '));
    return { name, label: kind.label, installed, install };
  });
  if (flags.json) return writeJson(terminal, { path, accounts, networks });
  const { dim } = terminal.palette;
  const known = `Networks: ${networks.map(({ name }) => name).join(', ')}`;
  const [titles = '', ...rows] = layOutTable(COLUMNS, accounts, terminal.maxLineWidth);
  terminal.write(
    [
      ...(accounts.length === 0 ? ['No channel is configured'] : [dim(titles), ...rows]),
      '',
      ...(Number.isFinite(terminal.maxLineWidth) ? wrapText(known, terminal.maxLineWidth) : [known]),
      'To add one: openbot channels add <name>',
      ...networks
        .filter(({ installed }) => !installed)
        .map(({ label, install }) => `${label} needs: ${install}`),
      '',
    ].join('\n'),
  );
}

function describe({ channel, accountId, isEnabled, hasDriver, settings }: ChannelAccount): Listed {
  const kind = findKind(channel);
  return {
    channel,
    accountId,
    ...(typeof settings.name === 'string' && { name: settings.name }),
    enabled: isEnabled,
    hasDriver,
    hasCredential: kind !== undefined && settings[kind.credential] !== undefined,
  };
}

const COLUMNS: readonly TableColumn<Listed>[] = [
  { title: 'NETWORK', show: ({ channel }) => printable(channel), cut: cutEnd, least: 8 },
  { title: 'ACCOUNT', show: ({ accountId }) => printable(accountId), cut: cutEnd, least: 8 },
  { title: 'NAME', show: ({ name = '' }) => printable(name), cut: cutEnd, least: 6, leave: 1 },
  {
    title: 'STATE',
    show: ({ enabled, hasDriver, hasCredential }) =>
      !enabled ? 'off' : !hasDriver ? 'unknown here' : hasCredential ? 'on' : 'on, no token',
  },
];
