import { OpenBotError, parseAgentSessionKey, type StoredEntry } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { isGroupType } from '@openbot/sessions/key';
import { cutEnd, findNearest, layOutTable, printable } from '@openbot/sessions/terminal-text';
import { resolveAgentSettings } from '../../config/agents.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import { indexModels } from '../../config/models.ts';
import { isSet, readSetting, unsetPatch } from '../../session-settings/change-settings.ts';
import type { EntryPatch, SessionSetting, SettingPlace } from '../../session-settings/contract.ts';
import { findSetting, SESSION_SETTINGS } from '../../session-settings/table.ts';
import { openChanges, openSession } from '../sessions/place.ts';
import type { SET_FLAGS } from './flags.ts';

/** Sets what chat commands set, or shows it. */
export async function sessionsSet(input: CommandInput<typeof SET_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  const [word, ...assignments] = input.words as readonly (string | undefined)[];
  const wanted = assignments.map((text) => readAssignment(text ?? ''));
  const removed = (flags.unset ?? '').split(',').filter((name) => name.trim() !== '');
  const unset = removed.map((name) => requireSetting(name, '--unset '));
  refuseTwice([...wanted.map(({ setting }) => setting), ...unset]);
  const session = await openSession(input, word);
  const { keeper, folder } = session;
  const { stateDir } = folder;
  // As for every look at sessions: no setting of theirs is a secret.
  const { config } = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true });
  // Agents may share one store.
  const agentId = parseAgentSessionKey(session.key)?.agentId ?? keeper.agentId;
  const agent = resolveAgentSettings({ config, agentId, stateDir, env });
  const place: SettingPlace = {
    sessionKey: session.key,
    entry: session.entry,
    isGroup: isGroupType(session.entry.chatType),
    channel: session.entry.lastChannel,
    agent,
    models: indexModels(agent),
    config,
    hasModel: async ({ provider, model }) => {
      const { loadRunner } = await import('../../runners/all.ts');
      const runner = await loadRunner(provider, { stateDir, config, env }, agent.runner);
      return runner?.describeModel(provider, model) !== undefined;
    },
    isLabelUsed: async (label) =>
      keeper.list().some(({ key, entry }) => entry.label === label && key !== session.key),
  };
  // All are read before one is written.
  const patch: EntryPatch = Object.assign({}, ...unset.map(unsetPatch));
  for (const { setting, value } of wanted) {
    const read = await readSetting(setting, value, place);
    if (!read.isRead)
      throw new OpenBotError('USAGE', `${setting.name} is not set: ${read.problem.replace(/\.$/, '')}`, {
        hint: 'Nothing was changed',
      });
    Object.assign(patch, read.patch);
  }
  const names = [...wanted.map(({ setting }) => setting.name), ...unset.map(({ name }) => name)];
  const entry =
    names.length === 0 ? session.entry : await (await openChanges(input, keeper)).set(session, patch);
  print(terminal, { ...place, entry }, names, flags.json === true);
}

function readAssignment(text: string): { readonly setting: SessionSetting; readonly value: string } {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined || value.trim() === '')
    throw new OpenBotError('USAGE', `'${text}' is no setting with a value`, {
      hint: `Write name=value, such as think=high. Settings: ${SESSION_SETTINGS.map((one) => one.name).join(', ')}`,
    });
  return { setting: requireSetting(name), value };
}

function requireSetting(name: string, before = ''): SessionSetting {
  const setting = findSetting(name);
  if (setting !== undefined) return setting;
  const names = SESSION_SETTINGS.map((one) => one.name);
  const nearest = findNearest(name, names);
  throw new OpenBotError('USAGE', `There is no setting ${before}${name.trim()}`, {
    hint: nearest === undefined ? `Settings: ${names.join(', ')}` : `Did you mean ${nearest}?`,
  });
}

function refuseTwice(settings: readonly SessionSetting[]): void {
  const twice = settings.find((setting, at) => settings.indexOf(setting) !== at);
  if (twice === undefined) return;
  throw new OpenBotError('USAGE', `${twice.name} is given twice`, { hint: 'Give each setting once' });
}

function print(
  terminal: CommandInput['terminal'],
  place: SettingPlace & { readonly entry: StoredEntry },
  changed: readonly string[],
  json: boolean,
): void {
  const { sessionKey, entry } = place;
  const settings = SESSION_SETTINGS.map((setting) => ({
    name: setting.name,
    value: setting.show(place),
    isSet: isSet(setting, entry),
  }));
  if (json) {
    writeJson(terminal, { key: sessionKey, sessionId: entry.sessionId, changed, settings });
    return;
  }
  const shown = changed.length === 0 ? settings : settings.filter(({ name }) => changed.includes(name));
  terminal.write(`${printable(sessionKey)}\n`);
  const [titles = '', ...lines] = layOutTable(
    [
      { title: 'SETTING', show: ({ name }) => name },
      { title: 'VALUE', show: ({ value }) => printable(value), cut: cutEnd, least: 8 },
      { title: 'FROM', show: ({ isSet: isOwn }) => (isOwn ? 'session' : 'default') },
    ],
    shown,
    terminal.maxLineWidth,
    (text) => terminal.palette.bold(text),
  );
  terminal.write(`${[terminal.palette.dim(titles), ...lines].join('\n')}\n`);
}
