import type { ChannelDriver } from '../contract.ts';
import { TelegramChannel } from './telegram-channel.ts';

/** Loads grammY: for a configured channel alone. */
export const driver: ChannelDriver = { open: (options) => new TelegramChannel(options) };
