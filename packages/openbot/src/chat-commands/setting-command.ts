import { oneLine } from '@openbot/sessions/terminal-text';
import { isSet, readSetting } from '../session-settings/change-settings.ts';
import type { SessionSetting } from '../session-settings/contract.ts';
import { listModels } from '../session-settings/model-setting.ts';
import type { ChatCommand, CommandScope } from './contract.ts';

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  think: ['thinking', 't'],
  verbose: ['v'],
  reasoning: ['reason'],
  model: ['models'],
};

/** They decide what others in the conversation get. */
const OF_OWNERS: readonly string[] = ['activation', 'send'];

/** Shows a setting, or sets it for the session. */
export function commandOfSetting(setting: SessionSetting): ChatCommand {
  const { name, summary, values, unsetBy, countWords } = setting;
  return {
    name,
    aliases: ALIASES[name],
    argument: `[${values}|${unsetBy[0]}]`,
    summary,
    when: 'at once',
    ...(countWords !== undefined && { inside: 'setting' }),
    ...(OF_OWNERS.includes(name) && { isFor: 'owners' }),
    run: (scope, argument) =>
      isAskedFor(argument) ? describe(setting, scope) : setValue(setting, scope, argument),
  };
}

function isAskedFor(argument: string): boolean {
  return /^(?:|list|status)$/i.test(argument);
}

async function describe(setting: SessionSetting, scope: CommandScope): Promise<string> {
  const { name, values, unsetBy } = setting;
  const own = isSet(setting, scope.entry) ? 'set for this session' : 'not set for this session';
  return [
    `${name}: ${oneLine(setting.show(scope))} (${own})`,
    ...(name === 'model' ? listModels(scope.models) : []),
    `To change it: /${name} ${values}. To remove it: /${name} ${unsetBy[0]}.`,
  ].join('\n');
}

async function setValue(setting: SessionSetting, scope: CommandScope, text: string): Promise<string> {
  const read = await readSetting(setting, text, scope);
  if (!read.isRead) return read.problem;
  const entry = await scope.change(read.patch);
  return confirm(setting, { ...scope, entry });
}

/** What holds now. */
function confirm(setting: SessionSetting, scope: CommandScope): string {
  const value = oneLine(setting.show(scope));
  return isSet(setting, scope.entry)
    ? `${setting.name}: ${value}, for this session.`
    : `${setting.name}: ${value}. This session has no setting of its own any more.`;
}

/** Sets several at once, or none where one of them cannot be read. */
export async function setAll(
  scope: CommandScope,
  wanted: readonly { readonly setting: SessionSetting; readonly value: string }[],
): Promise<string> {
  const patch = {};
  for (const { setting, value } of wanted) {
    const read = await readSetting(setting, value, scope);
    if (!read.isRead) return read.problem;
    Object.assign(patch, read.patch);
  }
  const entry = await scope.change(patch);
  return [...new Set(wanted.map(({ setting }) => confirm(setting, { ...scope, entry })))].join('\n');
}
