import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { normalizeAccountId } from '@openbot/sessions/key';
import { printable } from '@openbot/sessions/terminal-text';
import { loadBotConfig } from '../../config/load-config.ts';
import { editConfigFile } from '../../config-editing/edit-config-file.ts';
import { confirm } from '../confirm.ts';
import { refuseForeign } from '../refuse-foreign.ts';
import { findAccount } from './account.ts';
import type { CHANNELS_REMOVE_FLAGS } from './flags.ts';

type RemoveInput = CommandInput<typeof CHANNELS_REMOVE_FLAGS, readonly [{ readonly name: 'network' }]>;

/** Takes an account, or the whole network, out of the configuration. Conversations stay. */
export async function channelsRemove(input: RemoveInput): Promise<void> {
  const { flags, words, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const channel = words[0]?.trim().toLowerCase();
  if (!channel) throw new OpenBotError('USAGE', 'No network given', { hint: 'See: openbot channels list' });
  const loaded = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true });
  refuseForeign(loaded);
  const { path, config } = loaded;
  const settings = Object.entries(config.channels ?? {}).find(
    ([name]) => name.trim().toLowerCase() === channel,
  );
  // With --all there need be no account `default`.
  const { accountId } =
    flags.all && settings !== undefined
      ? { accountId: normalizeAccountId(undefined) }
      : findAccount(config, env, { channel, account: flags.account });
  if (settings === undefined)
    throw new OpenBotError('CHANNEL_UNKNOWN', `The configuration has no settings of ${channel}`);
  const own = Object.keys(settings[1]?.accounts ?? {}).find((id) => normalizeAccountId(id) === accountId);
  const others = Object.keys(settings[1]?.accounts ?? {}).filter((id) => id !== own);
  if (flags.all && flags.account !== undefined)
    throw new OpenBotError('USAGE', 'Only one of --account and --all can be given');
  // The settings of the network are its account `default`, and those of the others build on them.
  if (!flags.all && own === undefined && others.length > 0)
    throw new OpenBotError('USAGE', `The account ${accountId} is the settings of ${channel} themselves`, {
      hint: `Its other accounts (${others.join(', ')}) use them. To remove all: openbot channels remove ${channel} --all`,
    });
  const whole = flags.all || own === undefined;
  const what = flags.all ? `${channel} with all its accounts` : `the account ${accountId} of ${channel}`;
  await confirm(input, `Remove ${what} from ${printable(path)}, and keep the conversations`);
  const at = whole ? ['channels', settings[0]] : ['channels', settings[0], 'accounts', own!];
  await editConfigFile(path, [{ at }], { env });
  const secret = join(stateDir, 'secrets', `${channel}-${accountId}`);
  const secretPath = existsSync(secret) ? secret : undefined;
  if (flags.json)
    return writeJson(terminal, { path, channel, accountId, ...(secretPath !== undefined && { secretPath }) });
  terminal.say(`${terminal.palette.green('Removed')} ${what} from ${printable(path)}\n`);
  if (secretPath !== undefined) terminal.say(`Its secret is still in ${printable(secretPath)}\n`);
}
