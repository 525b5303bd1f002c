import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { readNetwork } from './account.ts';
import type { CHANNELS_LOGIN_FLAGS } from './flags.ts';

type LoginInput = CommandInput<typeof CHANNELS_LOGIN_FLAGS, readonly [{ readonly name: 'network' }]>;

/** Says how to get what the network wants: none of them has a login by scanning or typing. */
export async function channelsLogin({ flags, words, terminal }: LoginInput): Promise<void> {
  const { name: channel, kind } = readNetwork(words[0], 'login');
  const { credential, credentialHint: hint, label } = kind;
  const command = `openbot channels add ${channel}`;
  if (flags.json) return writeJson(terminal, { channel, credential, hint, command });
  terminal.say(`${label} has no login: it wants a ${credential}.\n${hint}.\nThen: ${command}\n`);
}
