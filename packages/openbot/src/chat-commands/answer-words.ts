import { findNearest } from '@openbot/sessions/terminal-text';
import { findSetting } from '../session-settings/table.ts';
import type { CommandScope } from './contract.ts';
import type { CommandWords, InsideWords } from './parse-words.ts';
import { setAll } from './setting-command.ts';
import { CHAT_COMMANDS, listCommandNames } from './table.ts';

/** Does what a message asks of the bot itself, and resolves to the answer. */
export async function answerWords(scope: CommandScope, words: CommandWords): Promise<string> {
  switch (words.is) {
    case 'command':
      return words.command.run?.(scope, words.argument, CHAT_COMMANDS) ?? '';
    case 'inside':
      return [
        ...(words.settings.length === 0 ? [] : [await applySettings(scope, words)]),
        ...(await answerShortcuts(scope, words)),
      ].join('\n\n');
    case 'unknown':
      return refuseUnknown(words.word);
    case 'several':
      return `Nothing was done: a message can have one command. Send /${words.first} and /${words.next} one after the other.`;
    case 'for another':
    case 'text':
      return '';
  }
}

async function applySettings(scope: CommandScope, { settings }: InsideWords): Promise<string> {
  const wanted = settings.flatMap(({ name, value }) => {
    const setting = findSetting(name);
    return setting === undefined ? [] : [{ setting, value }];
  });
  return setAll(scope, wanted);
}

/** Those inside a message, a text each. */
export async function answerShortcuts(
  scope: CommandScope,
  { shortcuts }: Pick<InsideWords, 'shortcuts'>,
): Promise<string[]> {
  const answers: string[] = [];
  for (const command of new Set(shortcuts))
    answers.push((await command.run?.(scope, '', CHAT_COMMANDS)) ?? '');
  return answers;
}

function refuseUnknown(word: string): string {
  const nearest = findNearest(word, listCommandNames());
  const meant = nearest === undefined ? 'Send /help for those that there are.' : `Did you mean /${nearest}?`;
  return `There is no command /${word}. ${meant} A message for the agent must not begin with a slash and a word.`;
}
