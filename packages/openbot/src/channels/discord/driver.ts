import type { ChannelDriver } from '../contract.ts';
import { DiscordChannel } from './discord-channel.ts';

export const driver: ChannelDriver = { open: (options) => new DiscordChannel(options) };
