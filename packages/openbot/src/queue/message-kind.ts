import { matchResetTrigger } from '@openbot/sessions/policy';
import { type CommandWords, parseWords, type WordRules } from '../chat-commands/parse-words.ts';
import type { InboxMessage, MessageKind } from '../inbox/contract.ts';

/** Of people and bots, at the start of a message in a group. Bounded: each repetition takes stack. */
const MENTIONS = /^(?:<?@[^\s>]{1,100}>?[\s:,]{0,100}){1,20}/;

export interface MessageRules {
  readonly triggers?: readonly string[];
  /** What the sender may do. */
  readonly rights?: SenderRights;
  readonly names?: Pick<WordRules, 'isModel' | 'isAlias'>;
  /** False in a group for a message that does not name the agent: an unknown command may be that of another bot. True. */
  readonly isAddressed?: boolean;
}

/** `talk`: only the commands that are for everybody. */
export type SenderRights = 'talk' | 'commands' | 'owner';

export interface ReadMessage {
  readonly kind: MessageKind;
  /** What it asks of the bot itself; `text` for a sender who may not ask. */
  readonly words: CommandWords;
  /** A command and nothing else, of a sender who may give it: a group need not mention the agent for it. */
  readonly isCommand: boolean;
  /** A command, of a sender who may give none. */
  readonly isRefused: boolean;
}

const TEXT: CommandWords = { is: 'text' };
const NO_NAMES = { isModel: () => false };

/** What the queue and the turn do with a message. Commands are those of senders who may give them. */
export function readMessage(
  { ctx }: Pick<InboxMessage, 'ctx'>,
  { triggers, rights = 'talk', names = NO_NAMES, isAddressed = true }: MessageRules = {},
): ReadMessage {
  const body = commandTextOf(ctx);
  const { BotUsername: botUsername } = ctx;
  const words = parseWords(body, { ...names, botUsername });
  const reset = matchResetTrigger({ body, authorized: true, botUsername, triggers });
  if ((words.is === 'text' && reset === null) || words.is === 'for another')
    return { kind: 'text', words, isCommand: false, isRefused: false };
  const isAuthorized = rights !== 'talk';
  if (reset !== null) {
    const inside = isAuthorized ? parseWords(` ${reset.bodyStripped}`, { ...names, botUsername }) : TEXT;
    const isRefused = !isAuthorized && reset.trigger.startsWith('/');
    return {
      kind: 'command',
      words: inside.is === 'inside' ? inside : TEXT,
      isCommand: isAuthorized,
      isRefused,
    };
  }
  if (mayGive(words, rights)) {
    const read = readCommand(words, hasMedia(ctx), isAddressed);
    return {
      ...read,
      isCommand: isAuthorized && read.kind !== 'text' && read.kind !== 'command',
      isRefused: false,
    };
  }
  const isRefused =
    words.is === 'command' || words.is === 'several' || (words.is === 'inside' && words.rest === '');
  const kind = isRefused || words.is === 'unknown' ? 'command' : 'text';
  return { kind, words: TEXT, isCommand: false, isRefused };
}

export function kindOfMessage(message: Pick<InboxMessage, 'ctx'>, rules?: MessageRules): MessageKind {
  return readMessage(message, rules).kind;
}

/** What the text behind `/new` asks of the bot itself; undefined where it is for the agent. */
export function readAfterReset(
  { ctx }: Pick<InboxMessage, 'ctx'>,
  text: string,
  { names = NO_NAMES, rights = 'talk' }: Pick<MessageRules, 'names' | 'rights'> = {},
): CommandWords | undefined {
  const words = parseWords(text, { ...names, botUsername: ctx.BotUsername });
  if (!mayGive(words, rights)) return undefined;
  const { kind } = readCommand(words, hasMedia(ctx), true);
  return kind === 'text' || kind === 'command' ? undefined : words;
}

function mayGive(words: CommandWords, rights: SenderRights): boolean {
  if (words.is !== 'command') return rights !== 'talk';
  switch (words.command.isFor) {
    case 'everybody':
      return true;
    case 'owners':
      return rights === 'owner';
    default:
      return rights !== 'talk';
  }
}

function readCommand(
  words: CommandWords,
  comesWithMedia: boolean,
  isAddressed: boolean,
): Pick<ReadMessage, 'kind' | 'words'> {
  switch (words.is) {
    case 'command':
      return kindOfCommand(words);
    case 'several':
      return { kind: 'aside', words };
    case 'unknown':
      return isAddressed ? { kind: 'aside', words } : { kind: 'text', words: TEXT };
    case 'inside':
      // A picture with settings under it is a message to the agent.
      if (words.rest === '' && !comesWithMedia) return { kind: 'aside', words };
      // The answer to a shortcut comes with that of its own turn.
      return { kind: words.shortcuts.length === 0 ? 'text' : 'command', words };
    case 'for another':
    case 'text':
      return { kind: 'text', words };
  }
}

function kindOfCommand(words: Extract<CommandWords, { is: 'command' }>): Pick<ReadMessage, 'kind' | 'words'> {
  switch (words.command.when) {
    case 'at once':
      return { kind: 'aside', words };
    case 'after the run':
      return { kind: 'upkeep', words };
    case 'stops':
      return { kind: words.argument === '' ? 'stop' : 'aside', words };
    case 'begins a turn':
      // Not among the configured triggers: the person is told which those are.
      return { kind: 'aside', words };
  }
}

function commandTextOf(ctx: InboxMessage['ctx']): string {
  if (typeof ctx.BodyForCommands === 'string') return ctx.BodyForCommands;
  const written = ctx.CommandBody ?? ctx.RawBody ?? ctx.Body;
  return typeof written === 'string' ? written.trimStart().replace(MENTIONS, '') : '';
}

function hasMedia({ MediaPath, MediaUrl, MediaPaths = [], MediaUrls = [] }: InboxMessage['ctx']): boolean {
  return MediaPath !== undefined || MediaUrl !== undefined || MediaPaths.length + MediaUrls.length > 0;
}
