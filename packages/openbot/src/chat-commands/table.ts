import { DEFAULT_RESET_TRIGGERS } from '@openbot/sessions/policy';
import { SESSION_SETTINGS } from '../session-settings/table.ts';
import type { ChatCommand, CommandScope } from './contract.ts';
import { answerHelp, answerWhoami } from './help.ts';
import { answerHistory } from './history.ts';
import { commandOfSetting } from './setting-command.ts';
import { answerStatus } from './status.ts';
import { cleanContext, compactContext, restoreContext } from './upkeep.ts';

/** Every chat command, in the order of `/help`. */
export const CHAT_COMMANDS: readonly ChatCommand[] = [
  {
    name: 'help',
    // Telegram sends /start when a person opens the chat.
    aliases: ['commands', 'start'],
    argument: '[command]',
    summary: 'What you can send',
    when: 'at once',
    inside: 'shortcut',
    isFor: 'everybody',
    run: answerHelp,
  },
  {
    name: 'status',
    summary: 'The model, how full the context is, cost, queue and settings',
    when: 'at once',
    inside: 'shortcut',
    run: answerStatus,
  },
  {
    name: 'whoami',
    aliases: ['id'],
    summary: 'Who you are to the bot, and which session this is',
    when: 'at once',
    inside: 'shortcut',
    isFor: 'everybody',
    run: answerWhoami,
  },
  {
    name: 'new',
    argument: '[model] [message]',
    summary: 'Begin a new session, with another model where one is named',
    when: 'begins a turn',
    run: describeTriggers,
  },
  {
    name: 'reset',
    argument: '[model] [message]',
    summary: 'The same as /new',
    when: 'begins a turn',
    run: describeTriggers,
  },
  {
    name: 'stop',
    aliases: ['abort'],
    summary: 'End the run, and withdraw what waits',
    when: 'stops',
    // With a word behind it the queue has left it alone.
    run: async () => 'Nothing was stopped. To stop the run, send /stop alone.',
  },
  ...SESSION_SETTINGS.map(commandOfSetting),
  {
    name: 'history',
    argument: '[n]',
    summary: 'The last turns of this session, one line each',
    when: 'at once',
    run: answerHistory,
  },
  {
    name: 'clean',
    argument: '[default|aggressive|extreme]',
    summary: 'Remove old tool calls and their results from the context',
    when: 'after the run',
    isFor: 'owners',
    run: cleanContext,
  },
  {
    name: 'restore',
    summary: 'Undo the last clean',
    when: 'after the run',
    isFor: 'owners',
    run: restoreContext,
  },
  {
    name: 'compact',
    argument: '[instructions]',
    summary: 'Have the model replace old messages by a summary',
    when: 'after the run',
    run: compactContext,
  },
];

const BY_NAME: ReadonlyMap<string, ChatCommand> = new Map(
  CHAT_COMMANDS.flatMap((command) =>
    [command.name, ...(command.aliases ?? [])].map((name) => [name, command]),
  ),
);

/** For one that is not among the configured words, or is not the first word. */
async function describeTriggers({ config }: CommandScope): Promise<string> {
  const { resetTriggers = [] } = config.session ?? {};
  const words = resetTriggers.length === 0 ? DEFAULT_RESET_TRIGGERS : resetTriggers;
  return `Nothing was begun by it. A message that begins a new session begins with: ${words.join(', ')}`;
}

/** By its name or an alias, without the slash. */
export function findCommand(word: string): ChatCommand | undefined {
  return BY_NAME.get(word.trim().toLowerCase());
}

export function listCommandNames(): string[] {
  return [...BY_NAME.keys()];
}
