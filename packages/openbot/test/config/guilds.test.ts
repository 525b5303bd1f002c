import { describe, expect, test } from 'vitest';
import { decideAccess } from '../../src/access/decide-access.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { resolveChannelSettings, resolveGroupSettings } from '../../src/config/channels.ts';

const message = (channel: string, { server = '10', sender = '501' } = {}) => ({
  ChatType: 'channel',
  Provider: 'discord',
  From: `discord:channel:${channel}`,
  GroupSpace: server,
  SenderId: sender,
});

/** Which of these are heard, by a configuration as OpenClaw has it. */
function resolve(discord: Record<string, unknown>) {
  const config = { channels: { discord } } as Pick<BotConfig, 'channels'>;
  const settings = resolveChannelSettings(config, { channel: 'discord' });
  return {
    isHeard: (...args: Parameters<typeof message>) =>
      decideAccess(settings, 'discord', message(...args), () => false).is === 'heard',
    needsMention: (...args: Parameters<typeof message>) =>
      resolveGroupSettings(settings.groups, message(...args))?.requireMention !== false,
  };
}

describe('guilds of OpenClaw', () => {
  test('a server without channels is heard as a whole, and no other', () => {
    const { isHeard, needsMention } = resolve({ guilds: { 10: { requireMention: false } } });
    expect(isHeard('20')).toBe(true);
    expect(isHeard('20', { server: '11' })).toBe(false);
    expect(needsMention('20')).toBe(false);
  });

  test('channels that are listed are the only ones, also beside * for other servers', () => {
    const { isHeard, needsMention } = resolve({
      guilds: {
        '*': {},
        10: {
          users: [501],
          channels: {
            20: { allow: true },
            21: { enabled: false },
            22: { requireMention: false, users: ['502'] },
          },
        },
      },
    });
    expect(isHeard('20')).toBe(true);
    expect(isHeard('20', { sender: '502' })).toBe(false);
    expect(isHeard('21')).toBe(false);
    expect(isHeard('22')).toBe(false);
    expect(isHeard('22', { sender: '502' })).toBe(true);
    expect([needsMention('20'), needsMention('22')]).toEqual([true, false]);
    expect(isHeard('23')).toBe(false);
    expect(isHeard('30', { server: '11', sender: '777' })).toBe(true);
  });

  test('what has no counterpart is closed', () => {
    expect(resolve({ guilds: { 10: { roles: ['77'] } } }).isHeard('20')).toBe(false);
    expect(resolve({ guilds: { 10: { roles: ['77'], users: ['501'] } } }).isHeard('20')).toBe(true);
    const named = { 10: { channels: { '*': {}, secret: { enabled: false }, 20: {} } } };
    expect(resolve({ guilds: named }).isHeard('20')).toBe(true);
    expect(resolve({ guilds: named }).isHeard('21')).toBe(false);
    const slugs = { '*': {}, 'friends-of-the-house': { users: ['501'] } };
    expect(resolve({ guilds: slugs }).isHeard('20')).toBe(false);
    expect(resolve({ guilds: { 10: {} }, groupPolicy: 'disabled' }).isHeard('20')).toBe(false);
    expect(resolve({ guilds: 'all' }).isHeard('20')).toBe(false);
  });

  test('groups win, and accounts have their own', () => {
    const groups = { 10: { enabled: false }, 11: { allowFrom: ['*'] } };
    const { isHeard } = resolve({ guilds: { 10: {} }, groups });
    expect([isHeard('20'), isHeard('30', { server: '11' })]).toEqual([false, true]);
    const ofAccount = resolve({ guilds: { 10: {} }, accounts: { default: { guilds: { 11: {} } } } });
    expect([ofAccount.isHeard('20'), ofAccount.isHeard('30', { server: '11' })]).toEqual([false, true]);
  });
});
