import type { Channel, MenuCommand } from '../channels/contract.ts';
import { CHAT_COMMANDS } from '../chat-commands/table.ts';
import { backgroundClock, type Clock, delayAfter } from '../clock.ts';
import type { BotChannels } from './bot-channels.ts';

const RETRY = { firstMs: 5000, mostMs: 600_000 };

/** The chat commands, for networks that show people what there is. */
export function listMenu(): readonly MenuCommand[] {
  return CHAT_COMMANDS.map(({ name, summary, argument }) => ({
    name,
    description: summary,
    takesText: argument !== undefined,
  }));
}

/** Gives a channel the menu, again and again while its network does not take it. */
export function keepMenu(
  channel: Channel,
  {
    channels,
    onTrouble,
    clock = backgroundClock,
  }: { readonly channels: BotChannels; onTrouble(message: string): void; readonly clock?: Clock },
): void {
  if (!channel.capabilities.hasCommandMenu || channel.setCommands === undefined) return;
  let failures = 0;
  const give = () => {
    if (!channels.open.includes(channel)) return;
    channel.setCommands!(listMenu()).catch((error: unknown) => {
      if (++failures === 1)
        onTrouble(`The menu of commands on ${channel.name} is set later: ${(error as Error).message}`);
      clock.after(delayAfter(failures, RETRY), give);
    });
  };
  give();
}
