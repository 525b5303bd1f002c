import { oneLine } from '@openbot/sessions/terminal-text';
import { isOwner, mayCommand } from '../access/senders.ts';
import type { ChatCommand, CommandScope } from './contract.ts';

export async function answerHelp(
  _scope: CommandScope,
  argument: string,
  all: readonly ChatCommand[],
): Promise<string> {
  const word = argument.replace(/^\//, '').toLowerCase();
  const asked = all.find(({ name, aliases = [] }) => [name, ...aliases].includes(word));
  if (asked !== undefined) return describeCommand(asked);
  return [
    ...all.map((command) => `/${command.name} - ${command.summary}`),
    '',
    'Send /help and the name of a command for more.',
  ].join('\n');
}

/** One command with all that can be said of it. */
export function describeCommand(command: ChatCommand): string {
  const { name, aliases = [], argument, summary, inside, isFor } = command;
  return [
    `/${name}${argument === undefined ? '' : ` ${argument}`}`,
    `${summary}.`,
    ...(aliases.length === 0 ? [] : [`Also: ${aliases.map((alias) => `/${alias}`).join(', ')}.`]),
    describeWhen(command),
    ...(isFor === 'owners' ? ['Only owners of the bot may give it.'] : []),
    ...(inside === 'setting' ? ['Inside a message it holds for the answer to that message alone.'] : []),
    ...(inside === 'shortcut' ? ['Inside a message it is answered together with the rest.'] : []),
  ].join('\n');
}

export function describeWhen({ when }: ChatCommand): string {
  switch (when) {
    case 'at once':
      return 'Answered at once, also during a run, which goes on.';
    case 'after the run':
      return 'During a run it waits for its end.';
    case 'begins a turn':
      return 'Waits for its turn as any message.';
    case 'stops':
      return 'Acts at once.';
  }
}

export async function answerWhoami({ message, session, entry, config }: CommandScope): Promise<string> {
  const { identity, ctx } = message;
  const name = ctx.SenderName ?? ctx.SenderUsername ?? ctx.SenderId;
  const isLocal = ctx.SenderId === undefined && ctx.From === undefined;
  const username =
    ctx.SenderUsername === undefined ? [] : [`Username: @${ctx.SenderUsername.replace(/^@/, '')}`];
  return [
    isLocal ? 'You: the person at this machine' : `You: ${name ?? 'without a name'}`,
    ...(isLocal ? [] : [`Id: ${ctx.SenderId ?? ctx.From}`, ...username]),
    `Channel: ${identity.channel}${isLocal ? '' : `, account ${identity.accountId}, chat ${identity.conversationId}`}`,
    `Agent: ${session.agentId}`,
    `Session: ${session.sessionKey}${entry === undefined ? '' : `, id ${entry.sessionId}`}`,
    isLocal || isOwner(config, identity, ctx)
      ? 'You may give all commands.'
      : mayCommand(config, identity, ctx)
        ? 'You may give commands, but those for owners.'
        : 'You may talk, and give no other commands than this one and /help.',
  ]
    .map(oneLine)
    .join('\n');
}
