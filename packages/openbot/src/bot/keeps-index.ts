import type { BotOptions } from './contract.ts';

/** Whether what is said goes into an index. A state that a caller brings may be no folder. */
export function keepsIndex({ config, index, state }: BotOptions): boolean {
  return config.index?.enabled !== false && (index ?? state === undefined);
}
