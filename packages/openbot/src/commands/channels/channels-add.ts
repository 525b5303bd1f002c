import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { OpenBotError, reportProgress, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { makeFolder, writeFileAtomic } from '@openbot/sessions/disk';
import { normalizeAccountId } from '@openbot/sessions/key';
import { oneLine, printable } from '@openbot/sessions/terminal-text';
import { parseJSON5 } from 'confbox/json5';
import { type ChannelKind, findKind } from '../../channels/all.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import { isSecretName } from '../../config/secret-name.ts';
import type { SettingPath } from '../../config/setting-path.ts';
import { type ConfigChange, editConfigFile } from '../../config-editing/edit-config-file.ts';
import { explainInstall, isInstalled } from '../../install-command.ts';
import { askHidden, canAsk } from '../ask-person.ts';
import { refuseForeign } from '../refuse-foreign.ts';
import { findAccount, probeAccount, readNetwork } from './account.ts';
import type { CHANNELS_ADD_FLAGS } from './flags.ts';

type AddInput = CommandInput<typeof CHANNELS_ADD_FLAGS, readonly [{ readonly name: 'network' }]>;

const LARGEST_TOKEN = 16_384;

/** Puts an account into the configuration, and asks its network who we are. */
export async function channelsAdd(input: AddInput): Promise<void> {
  const { flags, words, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const { name: channel, kind } = readNetwork(words[0], 'add');
  const accountId = normalizeAccountId(flags.account);
  const loaded = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true });
  refuseForeign(loaded);
  const { path } = loaded;
  const at: SettingPath =
    flags.account === undefined ? ['channels', channel] : ['channels', channel, 'accounts', accountId];
  const credential = await readCredential(input, kind);
  const changes: ConfigChange[] = [
    { at: [...at, 'enabled'], value: true },
    ...(flags.name === undefined ? [] : [{ at: [...at, 'name'], value: oneLine(flags.name.trim()) }]),
    ...(flags.set ?? []).map((text) => readSetting(text, at)),
  ];
  let isNewSecret = false;
  if (credential !== undefined) {
    const secretFile = `secrets/${channel}-${accountId}`;
    if (credential.typed !== undefined) {
      await makeFolder(stateDir);
      const file = join(stateDir, secretFile);
      const text = `${credential.typed}\n`;
      isNewSecret = (await readFile(file, 'utf8').catch(() => undefined)) !== text;
      await writeFileAtomic(file, text);
    }
    const value = credential.reference ?? `file:./${secretFile}`;
    changes.push({ at: [...at, kind.credential], value });
  }
  const edited = await editConfigFile(path, changes, { env });
  const notices = [
    ...edited.notices,
    ...(flags.token !== undefined && flags.token !== '-'
      ? [
          'The token is in the history of your shell now. Next time leave --token out, and you are asked for it',
        ]
      : []),
  ];
  const missing = kind.packages.filter((one) => !isInstalled(one));
  const install = missing.length === 0 ? undefined : explainInstall(kind.packages.join(' '));
  const tested = install === undefined && !flags.noTest ? await test(input, stateDir, channel) : {};
  const result = { path, channel, accountId, changed: edited.changed || isNewSecret };
  // The account is kept: a network may be down for a while, and a token can be given again.
  const refused = tested.refusal && explainRefusal(tested.refusal);
  if (flags.json) {
    if (refused) throw refused;
    return writeJson(terminal, {
      ...result,
      ...(install !== undefined && { install }),
      ...tested,
      notices,
    });
  }
  const { green, yellow } = terminal.palette;
  terminal.say(`${green('Added')} ${kind.label}, account ${accountId}, to ${printable(path)}\n`);
  if (install !== undefined) terminal.say(`${kind.label} needs a package. Install it with:\n${install}\n`);
  if (tested.probe !== undefined) terminal.say(`${printable(tested.probe)}\n`);
  for (const notice of notices) terminal.warn(`${printable(notice)}\n`);
  if (tested.error !== undefined) terminal.warn(`${yellow('Not tested:')} ${printable(tested.error)}\n`);
  if (refused) throw refused;
  terminal.say('A gateway that runs opens it at once; otherwise: openbot gateway start\n');
}

function explainRefusal({ message, hint }: OpenBotError): OpenBotError {
  return new OpenBotError('CHANNEL_FAILED', `The account is saved, but the network refused it: ${message}`, {
    hint,
  });
}

interface Credential {
  /** What the configuration gets. */
  readonly reference?: string;
  /** Is kept in a file of its own. */
  readonly typed?: string;
}

/** Undefined where the account has one already, or the environment has. */
async function readCredential(input: AddInput, kind: ChannelKind): Promise<Credential | undefined> {
  const { flags, env } = input;
  const given = [flags.token, flags.tokenEnv, flags.tokenFile].filter((one) => one !== undefined);
  if (given.length > 1)
    throw new OpenBotError('USAGE', 'Only one of --token, --token-env and --token-file can be given');
  if (flags.tokenEnv !== undefined) {
    if (!/^[A-Z_][A-Z0-9_]*$/.test(flags.tokenEnv))
      throw new OpenBotError('USAGE', `${flags.tokenEnv} is not the name of a variable`, {
        hint: 'Capital letters, digits and _',
      });
    return { reference: `\${${flags.tokenEnv}}` };
  }
  if (flags.tokenFile !== undefined) return { reference: `file:${resolve(flags.tokenFile)}` };
  if (flags.token !== undefined) {
    const typed = flags.token === '-' ? await input.readInput(LARGEST_TOKEN) : flags.token;
    return { typed: checkToken(typed, kind) };
  }
  const fromSet = flags.set?.some((text) => text.startsWith(`${kind.credential}=`));
  if (fromSet || (kind.variable !== undefined && env[kind.variable]?.trim() && flags.account === undefined))
    return undefined;
  if (!canAsk(input) || flags.json) {
    throw new OpenBotError('USAGE', `There is no ${kind.credential} for ${kind.label}`, {
      hint: `${kind.credentialHint}. Give it with --token-env <variable>, --token-file <path>, or --token - on standard input`,
    });
  }
  input.terminal.say(`${kind.credentialHint}.\n`);
  return { typed: checkToken(await askHidden(`${kind.credential} (not shown)`), kind) };
}

function checkToken(text: string, kind: ChannelKind): string {
  const token = text.trim();
  if (token !== '' && !/\s/.test(token)) return token;
  throw new OpenBotError('USAGE', `The ${kind.credential} must be one word`, { hint: kind.credentialHint });
}

/** `dmPolicy=allowlist`. JSON where the value is some, such as `["42"]`. */
function readSetting(text: string, at: SettingPath): ConfigChange {
  const [, name, value = ''] = /^([A-Za-z][\w.]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined)
    throw new OpenBotError('USAGE', `${text} is not a setting`, {
      hint: 'Example: --set dmPolicy=allowlist',
    });
  const path = [...at, ...name.split('.')];
  if (isSecretName(name)) return { at: path, value };
  try {
    return { at: path, value: parseJSON5(value) };
  } catch {
    return { at: path, value };
  }
}

async function test(
  { flags, env }: AddInput,
  stateDir: string,
  channel: string,
): Promise<{ readonly probe?: string; readonly error?: string; readonly refusal?: OpenBotError }> {
  reportProgress({ step: 'ask', text: `Asking ${findKind(channel)!.label}` });
  try {
    const { config } = await loadBotConfig(stateDir, env);
    const account = findAccount(config, env, { channel, account: flags.account });
    const timeoutMs = flags.timeout === undefined ? undefined : flags.timeout * 1000;
    return { probe: await probeAccount(account, { stateDir, timeoutMs }) };
  } catch (error) {
    if (error instanceof OpenBotError && error.code === 'CHANNEL_FAILED') return { refusal: error };
    return { error: (error as Error).message };
  } finally {
    reportProgress({ step: undefined });
  }
}
