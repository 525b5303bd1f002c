import { describe, expect, it } from 'vitest';
import { normalizeSendPolicy, resolveSendPolicy } from '../../src/policy/send-policy.ts';
import type { SessionSendPolicyConfig, SessionSendPolicyRule } from '../../src/policy/session-config.ts';

type Params = Omit<Parameters<typeof resolveSendPolicy>[0], 'cfg'>;

const decide = (sendPolicy: SessionSendPolicyConfig | undefined, params: Params = {}) =>
  resolveSendPolicy({ cfg: sendPolicy ? { session: { sendPolicy } } : {}, ...params });

const documented: SessionSendPolicyConfig = {
  default: 'allow',
  rules: [
    { match: { channel: 'discord', chatType: 'group' }, action: 'deny' },
    { match: { keyPrefix: 'agent:main:slack' }, action: 'allow' },
  ],
};

describe('order', () => {
  it('allows when nothing is configured', () => {
    expect(decide(undefined)).toBe('allow');
    expect(decide({})).toBe('allow');
  });

  it('the session’s own setting comes before every rule', () => {
    const sessionKey = 'agent:main:discord:group:123';
    expect(decide(documented, { sessionKey })).toBe('deny');
    expect(decide(documented, { sessionKey, entry: { sendPolicy: 'allow' } })).toBe('allow');
    expect(decide({ default: 'allow' }, { entry: { sendPolicy: ' DENY ' as 'deny' } })).toBe('deny');
    expect(decide({ default: 'deny' }, { entry: { sendPolicy: 'maybe' as 'deny' } })).toBe('deny');
  });

  it('the first rule that matches decides, also against a later one', () => {
    const allow: SessionSendPolicyRule = { match: { channel: 'slack' }, action: 'allow' };
    const deny: SessionSendPolicyRule = { match: { channel: 'slack' }, action: 'deny' };
    expect(decide({ rules: [allow, deny] }, { channel: 'slack' })).toBe('allow');
    expect(decide({ rules: [deny, allow] }, { channel: 'slack' })).toBe('deny');
  });

  it('then the default', () => {
    expect(decide({ ...documented, default: 'deny' }, { sessionKey: 'agent:main:telegram:dm:1' })).toBe(
      'deny',
    );
    expect(decide({ ...documented, default: 'deny' }, { sessionKey: 'agent:main:slack:dm:1' })).toBe('allow');
  });

  it('a rule without conditions matches everything', () => {
    expect(decide({ rules: [{ action: 'deny' }] })).toBe('deny');
    expect(decide({ rules: [{ match: {}, action: 'deny' }] })).toBe('deny');
  });
});

describe('conditions', () => {
  const denied = (match: SessionSendPolicyRule['match'], params: Params) =>
    decide({ rules: [{ match: match ?? {}, action: 'deny' }] }, params) === 'deny';

  it.each<[string, Params, boolean]>([
    ['as given', { channel: 'Discord' }, true],
    ['from the entry', { entry: { channel: 'discord' } }, true],
    ['from the last route', { entry: { lastChannel: 'discord' } }, true],
    ['given before the entry', { channel: 'slack', entry: { channel: 'discord' } }, false],
    ['from a group key', { sessionKey: 'agent:main:discord:group:1' }, true],
    ['from a direct key', { sessionKey: 'agent:main:discord:dm:1' }, true],
    ['from an account’s key', { sessionKey: 'agent:main:discord:bot2:direct:1' }, true],
    ['from a thread’s key', { sessionKey: 'agent:main:discord:channel:1:thread:2' }, true],
    ['from a key without agent', { sessionKey: 'discord:channel:1' }, true],
    ['not known', { sessionKey: 'agent:main:main' }, false],
    ['nothing known', {}, false],
  ])('channel %s', (_name, params, expected) => {
    expect(denied({ channel: 'discord' }, params)).toBe(expected);
  });

  it.each<[string, Params, boolean]>([
    ['dm', { chatType: 'direct' }, true],
    ['direct', { chatType: 'dm' }, true],
    ['DIRECT', { sessionKey: 'agent:main:dm:1' }, true],
    ['direct', { sessionKey: 'agent:main:main' }, true],
    ['dm', { sessionKey: 'agent:main:telegram:direct:1' }, true],
    ['direct', { entry: { chatType: 'dm' as 'direct' } }, true],
    ['group', { sessionKey: 'agent:main:telegram:group:-1:topic:2' }, true],
    ['channel', { sessionKey: 'agent:main:slack:channel:c1' }, true],
    ['group', { sessionKey: 'agent:main:slack:channel:c1' }, false],
    ['group', { chatType: 'direct', sessionKey: 'agent:main:x:group:1' }, false],
    ['direct', { sessionKey: 'agent:main:cron:j' }, false],
    ['no such type', { chatType: 'group' }, false],
  ])('chat type %s', (chatType, params, expected) => {
    expect(denied({ chatType }, params)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['agent:main:slack', 'agent:main:slack:channel:c1', true],
    ['AGENT:Main:Slack', 'agent:main:slack:channel:c1', true],
    ['slack:channel', 'agent:main:slack:channel:c1', true],
    ['agent:main:telegram:direct:', 'agent:main:telegram:dm:42', true],
    ['agent:main:telegram:dm:', 'agent:main:telegram:direct:42', true],
    ['agent:codex:', 'agent:main:slack:channel:c1', false],
    ['channel', 'agent:main:slack:channel:c1', false],
    ['x', '', false],
    ['con', 'constructor', true],
  ])('key prefix %s of %s: %s', (keyPrefix, sessionKey, expected) => {
    expect(denied({ keyPrefix }, { sessionKey })).toBe(expected);
  });

  it('the raw prefix is of the whole key only', () => {
    const sessionKey = 'agent:main:slack:channel:c1';
    expect(denied({ rawKeyPrefix: 'agent:main:' }, { sessionKey })).toBe(true);
    expect(denied({ rawKeyPrefix: 'slack:' }, { sessionKey })).toBe(false);
  });

  it('all of them must hold', () => {
    const match = { channel: 'slack', chatType: 'channel', keyPrefix: 'agent:main:' };
    expect(denied(match, { sessionKey: 'agent:main:slack:channel:c1' })).toBe(true);
    expect(denied(match, { sessionKey: 'agent:codex:slack:channel:c1' })).toBe(false);
    expect(denied(match, { sessionKey: 'agent:main:slack:dm:1' })).toBe(false);
  });

  it('an unreadable rule is skipped', () => {
    const rules = [
      null,
      { match: { channel: 'slack' } },
      { match: { channel: 'slack' }, action: 'denny' },
      { match: { channel: 'slack' }, action: 'deny' },
    ] as unknown as SessionSendPolicyRule[];
    expect(decide({ rules }, { channel: 'slack' })).toBe('deny');
    expect(decide({ rules: 'all' as unknown as SessionSendPolicyRule[] }, {})).toBe('allow');
  });

  it('a custom main key is a direct conversation too', () => {
    const session = {
      mainKey: 'work',
      sendPolicy: { rules: [{ match: { chatType: 'direct' }, action: 'deny' as const }] },
    };
    expect(resolveSendPolicy({ cfg: { session }, sessionKey: 'agent:main:work' })).toBe('deny');
  });
});

it('normalizeSendPolicy reads two words', () => {
  expect([' Allow', 'deny', 'no', '', undefined, 1].map(normalizeSendPolicy)).toEqual([
    'allow',
    'deny',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
