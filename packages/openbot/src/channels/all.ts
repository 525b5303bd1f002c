import type { Channel } from './contract.ts';

/** The chat networks that this version can speak on, by the name of their settings in `channels`. */
export const CHANNEL_DRIVERS: Readonly<Record<string, () => Promise<(settings: unknown) => Channel>>> = {};
