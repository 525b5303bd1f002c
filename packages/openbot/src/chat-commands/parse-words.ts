import type { KnownNames } from '../session-settings/contract.ts';
import { findSetting } from '../session-settings/table.ts';
import type { ChatCommand } from './contract.ts';
import { plainSlashes, SEARCHED } from './plain-slashes.ts';
import { findCommand } from './table.ts';

/** A setting inside a message. */
export interface InlineSetting {
  readonly name: string;
  readonly value: string;
}

/** What a message asks of the bot itself. */
export type CommandWords =
  | { readonly is: 'text' }
  | { readonly is: 'command'; readonly command: ChatCommand; readonly argument: string }
  /** Has the shape of a command. */
  | { readonly is: 'unknown'; readonly word: string }
  /** `/status /clean`: which of them is meant cannot be known, so none is carried out. */
  | { readonly is: 'several'; readonly first: string; readonly next: string }
  /** `/status@otherbot` */
  | { readonly is: 'for another' }
  /** Settings and shortcuts. `rest` is what is left for the model; '' where the message has nothing else. */
  | ({ readonly is: 'inside' } & InsideWords);

export interface InsideWords {
  readonly settings: readonly InlineSetting[];
  readonly shortcuts: readonly ChatCommand[];
  readonly rest: string;
}

export interface WordRules extends KnownNames {
  /** With or without `@`. */
  readonly botUsername?: string;
  /** `/opus` chooses a model, where `opus` is an alias of one. */
  isAlias?(word: string): boolean;
}

/**
 * A slash and a word, then the end, a space or a colon. `/etc/hosts`, `/2` and `//` are words of a person. The colon is
 * OpenClaw's: `/think: high`.
 */
const COMMAND = /^\/([a-z][a-z0-9_-]{0,31})(?:@([\w.-]{1,64}))?(?=$|\s|:(?:$|\s)):?\s*/i;
const COLON = /^\/([a-z][a-z0-9_-]{0,31}):(?=\S)/i;
const INSIDE = /(?<=^|\s)\/([a-z][a-z0-9_-]{0,31})(?:@([\w.-]{1,64}))?(?=$|[\s:]):?/gi;

/** @param text what was written, without words that address the agent */
export function parseWords(text: string, rules: WordRules): CommandWords {
  const body = plainSlashes(text)
    .trim()
    .replace(COLON, (head, word) => (findCommand(word) ? `/${word} ` : head));
  if (!body.includes('/')) return { is: 'text' };
  const found = COMMAND.exec(body);
  if (found === null) return parseInside(body, rules);
  const [head, word = '', bot] = found;
  if (bot !== undefined && !isBot(bot, rules)) return { is: 'for another' };
  const command = findCommand(word);
  if (command === undefined && !isAlias(word, rules)) return { is: 'unknown', word };
  const argument = body.slice(head.length).trim();
  if (command !== undefined && (argument === '' || isTopic(command, argument)))
    return { is: 'command', command, argument };
  const inside = command === undefined || command.inside ? parseInside(body, rules) : undefined;
  // A message that goes on with what looks like a command is not for the model: the person is told what is wrong.
  const next = COMMAND.exec(inside?.is === 'inside' ? inside.rest : argument)?.[1];
  if (next !== undefined && findCommand(next)) return { is: 'several', first: word, next };
  if (inside?.is === 'inside') return next === undefined ? inside : { is: 'unknown', word: next };
  return command === undefined ? { is: 'text' } : { is: 'command', command, argument };
}

function parseInside(body: string, rules: WordRules): CommandWords {
  const inside = takeInside(body, rules);
  return inside.settings.length + inside.shortcuts.length === 0
    ? { is: 'text' }
    : { is: 'inside', ...inside };
}

/** Takes settings and shortcuts out of a text, wherever they are. */
export function takeInside(given: string, rules: WordRules): InsideWords {
  const text = plainSlashes(given);
  const settings: InlineSetting[] = [];
  const shortcuts: ChatCommand[] = [];
  if (!text.includes('/')) return { settings, shortcuts, rest: text };
  let rest = '';
  let copied = 0;
  for (const found of text.slice(0, SEARCHED).matchAll(INSIDE)) {
    const [head, word = '', bot] = found;
    const end = found.index + head.length;
    if (found.index < copied || (bot !== undefined && !isBot(bot, rules))) continue;
    const command = findCommand(word);
    const taken =
      command?.inside === 'setting'
        ? takeValue(command, text.slice(end), rules)
        : command === undefined && isAlias(word, rules)
          ? { setting: { name: 'model', value: word }, length: 0 }
          : undefined;
    if (taken !== undefined) settings.push(taken.setting);
    else if (command?.inside === 'shortcut') shortcuts.push(command);
    else continue;
    rest += text.slice(copied, found.index);
    copied = end + (taken?.length ?? 0);
    // One of the two spaces around it goes.
    if (/^[ \t]/.test(text.slice(copied, copied + 1)) && /(?:^|\s)$/.test(rest)) copied += 1;
  }
  if (settings.length + shortcuts.length === 0) return { settings, shortcuts, rest: text };
  return { settings, shortcuts, rest: (rest + text.slice(copied)).trim() };
}

function takeValue(
  { name }: ChatCommand,
  behind: string,
  rules: WordRules,
): { readonly setting: InlineSetting; readonly length: number } | undefined {
  const setting = findSetting(name);
  // A value is on the line of its setting.
  const [line = ''] = behind.slice(0, 500).split('\n');
  const words = line.trim().split(/[ \t]+/);
  const count = setting?.countWords?.(words, rules) ?? 0;
  if (count === 0) return undefined;
  const [taken = ''] = new RegExp(`^(?:[ \\t]*\\S+){${count}}`).exec(line) ?? [];
  return { setting: { name, value: taken.trim() }, length: taken.length };
}

/** `/help think` asks about a command; `/help me` asks the agent. */
function isTopic({ argument }: ChatCommand, given: string): boolean {
  return argument === '[command]' && findCommand(given.replace(/^\//, '')) !== undefined;
}

function isAlias(word: string, { isAlias: check }: WordRules): boolean {
  return check?.(word) ?? false;
}

function isBot(name: string, { botUsername = '' }: WordRules): boolean {
  return name.toLowerCase() === botUsername.trim().replace(/^@/, '').toLowerCase();
}
