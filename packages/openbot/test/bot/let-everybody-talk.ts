import type { BotConfig } from '../../src/config/bot-config.ts';

/** Unless a test says itself who may: most are about what comes after it. */
export function letEverybodyTalk(config: BotConfig, name: string): BotConfig {
  if ((config.channels?.[name]?.dmPolicy ?? config.channels?.[name]?.groupPolicy) !== undefined)
    return config;
  const open = { dmPolicy: 'open', groupPolicy: 'open', rateLimit: 0 } as const;
  const all = { '*': {} };
  const { groups, ...set } = config.channels?.[name] ?? {};
  const settings = { ...open, ...set, ...(groups !== undefined && { groups: { ...all, ...groups } }) };
  config.channels = { ...config.channels, [name]: settings };
  return config;
}
