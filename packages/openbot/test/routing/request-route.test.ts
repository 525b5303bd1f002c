import { describe, expect, it } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { type AddressRequest, resolveAddress } from '../../src/routing/request-route.ts';

const BINDINGS = [{ agentId: 'ops', match: { channel: 'telegram' } }];
const key = (request: Omit<AddressRequest, 'config'>, config: BotConfig = {}) =>
  resolveAddress({ config, ...request }).sessionKey;

describe('--to routes as a message from there would', () => {
  it.each<[Omit<AddressRequest, 'config'>, BotConfig, string]>([
    [{ to: '+15550123' }, {}, 'agent:main:main'],
    [{ to: '+15550123' }, { session: { dmScope: 'per-peer' } }, 'agent:main:dm:+15550123'],
    [
      { to: '42', channel: 'telegram' },
      { session: { dmScope: 'per-channel-peer' } },
      'agent:main:telegram:dm:42',
    ],
    [{ to: 'telegram:42' }, { session: { dmScope: 'per-channel-peer' } }, 'agent:main:telegram:dm:42'],
    [{ to: 'Telegram:dm:42' }, { session: { dmScope: 'per-channel-peer' } }, 'agent:main:telegram:dm:42'],
    [{ to: 'telegram:42', channel: 'telegram' }, { session: { dmScope: 'per-peer' } }, 'agent:main:dm:42'],
    [
      { to: '42', channel: 'telegram', accountId: 'b' },
      { session: { dmScope: 'per-account-channel-peer' } },
      'agent:main:telegram:b:dm:42',
    ],
    [{ to: 'telegram:group:-100' }, {}, 'agent:main:telegram:group:-100'],
    [{ to: '120363@g.us' }, {}, 'agent:main:whatsapp:group:120363@g.us'],
    [{ to: '42', channel: 'telegram' }, { bindings: BINDINGS }, 'agent:ops:main'],
    [{ to: '42', channel: 'telegram', agentId: 'main' }, { bindings: BINDINGS }, 'agent:main:main'],
    [{ to: '42', channel: 'telegram', fallbackAgentId: 'main' }, { bindings: BINDINGS }, 'agent:ops:main'],
    [{ to: '42', fallbackAgentId: 'env' }, { bindings: BINDINGS }, 'agent:env:main'],
    [{ to: '+15550123' }, { session: { scope: 'global', dmScope: 'per-channel-peer' } }, 'global'],
  ])('%j', (request, config, expected) => {
    expect(key(request, config)).toBe(expected);
  });

  it('a scope by channel needs a channel', () => {
    expect(() => key({ to: '42' }, { session: { dmScope: 'per-channel-peer' } })).toThrowError(
      expect.objectContaining({
        code: 'USAGE',
        message: '--to 42 names no channel, and session.dmScope is per-channel-peer',
        hint: 'Name the channel: --channel telegram, or --to telegram:42',
      }),
    );
  });
});

describe('a session key', () => {
  it.each<[Omit<AddressRequest, 'config'>, string, string]>([
    [{ sessionKey: 'agent:ops:incident-42' }, 'ops', 'agent:ops:incident-42'],
    [{ sessionKey: 'incident-42', agentId: 'ops' }, 'ops', 'agent:ops:incident-42'],
    [{ sessionKey: 'agent:ops:Main', agentId: 'ops' }, 'ops', 'agent:ops:main'],
    [{ sessionKey: 'main' }, 'main', 'agent:main:main'],
    [{ sessionKey: 'global', fallbackAgentId: 'ops' }, 'ops', 'global'],
    [{}, 'main', 'agent:main:main'],
    [{ fallbackAgentId: 'ops' }, 'ops', 'agent:ops:main'],
  ])('%j', (request, agentId, sessionKey) => {
    expect(resolveAddress({ config: {}, ...request })).toMatchObject({ agentId, sessionKey });
  });

  it('of another agent than the one named is refused', () => {
    expect(() => key({ sessionKey: 'agent:ops:x', agentId: 'main' })).toThrowError(
      expect.objectContaining({ code: 'USAGE', hint: 'Leave --agent out: the key names the agent ops' }),
    );
  });

  it.each(['agent:../x:main', 'agent:', '__proto__', 'a\0b'])('that is none is refused: %j', (sessionKey) => {
    expect(() => key({ sessionKey })).toThrowError(expect.objectContaining({ code: 'INVALID_SESSION_KEY' }));
  });
});
