import { describe, expect, it } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { type RouteRequest, resolveRoute } from '../../src/routing/resolve-route.ts';

const route = (config: BotConfig, request: Partial<RouteRequest>) =>
  resolveRoute({ config, channel: 'telegram', ...request });
const dm = (id: string | number) => ({ kind: 'direct', id }) as const;
const group = (id: string | number) => ({ kind: 'group', id }) as const;

describe('four scopes, two agents, two accounts on one channel', () => {
  const ACCOUNTS = [
    { agentId: 'home', match: { channel: 'telegram' } },
    { agentId: 'work', match: { channel: 'telegram', accountId: 'Business' } },
  ];
  it.each([
    ['main', undefined, 'agent:home:main'],
    ['main', 'business', 'agent:work:main'],
    ['per-peer', undefined, 'agent:home:dm:42'],
    ['per-peer', 'business', 'agent:work:dm:42'],
    ['per-channel-peer', undefined, 'agent:home:telegram:dm:42'],
    ['per-channel-peer', 'business', 'agent:work:telegram:dm:42'],
    ['per-account-channel-peer', undefined, 'agent:home:telegram:default:dm:42'],
    ['per-account-channel-peer', 'BUSINESS', 'agent:work:telegram:business:dm:42'],
  ] as const)('%s on account %s: %s', (dmScope, accountId, sessionKey) => {
    const found = route({ bindings: ACCOUNTS, session: { dmScope } }, { accountId, peer: dm(42) });
    expect(found).toEqual({
      agentId: accountId === undefined ? 'home' : 'work',
      channel: 'telegram',
      accountId: accountId === undefined ? 'default' : 'business',
      sessionKey,
      mainSessionKey: accountId === undefined ? 'agent:home:main' : 'agent:work:main',
      matchedBy: 'binding.account',
    });
  });

  it.each([
    [undefined, 'agent:home:telegram:group:-100'],
    ['business', 'agent:work:telegram:group:-100'],
  ])('a group on account %s is %s in every scope', (accountId, sessionKey) => {
    for (const dmScope of ['main', 'per-peer', 'per-channel-peer', 'per-account-channel-peer'] as const) {
      const found = route({ bindings: ACCOUNTS, session: { dmScope } }, { accountId, peer: group(-100) });
      expect(found.sessionKey).toBe(sessionKey);
    }
  });
});

describe('which binding decides', () => {
  const bindings = [
    { agentId: 'channel', match: { channel: 'telegram', accountId: '*' } },
    { agentId: 'account', match: { channel: 'telegram' } },
    { agentId: 'team', match: { channel: 'telegram', teamId: 'T1' } },
    { agentId: 'guild', match: { channel: 'telegram', guildId: 'G1' } },
    { agentId: 'roles', match: { channel: 'telegram', guildId: 'G1', roles: ['admin'] } },
    { agentId: 'group', match: { channel: 'telegram', group: -100 } },
    { agentId: 'peer', match: { channel: 'telegram', peer: { kind: 'dm', id: 42 } } },
    { agentId: 'late', match: { channel: 'telegram', peer: { kind: 'direct', id: '42' } } },
  ] as const satisfies BotConfig['bindings'];

  it.each<[string, string, Partial<RouteRequest>]>([
    ['peer', 'binding.peer', { peer: dm('42') }],
    ['group', 'binding.peer', { peer: group('-100') }],
    ['group', 'binding.peer', { peer: { kind: 'channel', id: -100 } }],
    ['group', 'binding.peer.parent', { peer: group('-100:topic:7') }],
    ['group', 'binding.peer.parent', { peer: group(7), parentPeer: group(-100) }],
    ['roles', 'binding.guild+roles', { guildId: 'g1', roles: ['x', 'admin'] }],
    ['guild', 'binding.guild', { guildId: 'g1', roles: ['x'] }],
    ['team', 'binding.team', { teamId: 'T1' }],
    ['account', 'binding.account', { peer: dm(43) }],
    ['account', 'binding.account', { peer: dm(-100) }],
    ['channel', 'binding.channel', { accountId: 'second', peer: dm(42) }],
    ['main', 'default', { channel: 'discord', peer: dm(42) }],
    ['zebra', 'request', { agentId: 'Zebra', peer: dm(42) }],
  ])('%s by %s', (agentId, matchedBy, request) => {
    expect(route({ bindings }, request)).toMatchObject({ agentId, matchedBy });
  });

  it('a condition that does not hold rules a binding out, whatever else it has', () => {
    const both = [
      { agentId: 'x', match: { channel: 'telegram', guildId: 'G1', peer: { kind: 'group', id: 1 } } },
    ] as const;
    expect(route({ bindings: both }, { peer: group(1), guildId: 'G1' }).agentId).toBe('x');
    expect(route({ bindings: both }, { peer: group(1), guildId: 'G2' }).agentId).toBe('main');
    expect(route({ bindings: both }, { peer: group(2), guildId: 'G1' }).agentId).toBe('main');
  });

  it('the default agent of the configuration gets the rest', () => {
    const config = { agents: { list: [{ id: 'a' }, { id: 'b', default: true }] } };
    expect(route(config, { peer: dm(1) })).toMatchObject({ agentId: 'b', sessionKey: 'agent:b:main' });
  });
});

describe('the key', () => {
  it('one person on several channels has one session, unless the scope is main', () => {
    const identityLinks = { Alice: ['telegram:42', 'discord:77'] };
    const keys = (dmScope: 'main' | 'per-peer' | 'per-channel-peer') =>
      [
        { channel: 'telegram', peer: dm(42) },
        { channel: 'discord', peer: dm(77) },
        { channel: 'discord', peer: dm(42) },
      ].map((request) => route({ session: { dmScope, identityLinks } }, request).sessionKey);
    expect(keys('main')).toEqual(['agent:main:main', 'agent:main:main', 'agent:main:main']);
    expect(keys('per-peer')).toEqual(['agent:main:dm:alice', 'agent:main:dm:alice', 'agent:main:dm:42']);
    expect(keys('per-channel-peer')).toEqual([
      'agent:main:telegram:dm:alice',
      'agent:main:discord:dm:alice',
      'agent:main:discord:dm:42',
    ]);
  });

  it('global: one for all, also for groups and threads', () => {
    for (const request of [{ peer: dm(1) }, { peer: group(1) }, { peer: group(1), threadId: 7 }]) {
      expect(route({ session: { scope: 'global', dmScope: 'per-peer' } }, request)).toMatchObject({
        agentId: 'main',
        sessionKey: 'global',
        mainSessionKey: 'global',
      });
    }
  });

  it.each<[Partial<RouteRequest>, string, string | undefined]>([
    [
      { peer: group(-100), threadId: 7 },
      'agent:main:telegram:group:-100:thread:7',
      'agent:main:telegram:group:-100',
    ],
    ...[undefined, 7, '7'].map((threadId): [Partial<RouteRequest>, string, string] => [
      { peer: group('-100:topic:7'), threadId },
      'agent:main:telegram:group:-100:topic:7',
      'agent:main:telegram:group:-100',
    ]),
    [{ peer: dm(42), threadId: 'a' }, 'agent:main:main:thread:a', 'agent:main:main'],
    [
      { peer: { kind: 'channel', id: 'c1' }, threadId: '17.5' },
      'agent:main:telegram:channel:c1:thread:17.5',
      'agent:main:telegram:channel:c1',
    ],
    [{ peer: dm(42), threadId: ' ' }, 'agent:main:main', undefined],
    [{}, 'agent:main:main', undefined],
  ])('%j', (request, sessionKey, parentSessionKey) => {
    expect(route({}, request)).toMatchObject({ sessionKey, ...(parentSessionKey && { parentSessionKey }) });
    expect(route({}, request).parentSessionKey).toBe(parentSessionKey);
  });

  it('without threads a topic is part of its group', () => {
    const { sessionKey, parentSessionKey } = route(
      { session: { threads: { enabled: false } } },
      { peer: group('-100:topic:7'), threadId: 7 },
    );
    expect([sessionKey, parentSessionKey]).toEqual(['agent:main:telegram:group:-100', undefined]);
  });

  it('mainKey names the main session', () => {
    expect(route({ session: { mainKey: 'Home' } }, { peer: dm(1) })).toMatchObject({
      sessionKey: 'agent:main:home',
      mainSessionKey: 'agent:main:home',
    });
  });

  it("a person's id that imitates a thread stays one id", () => {
    const { sessionKey } = route({ session: { dmScope: 'per-peer' } }, { peer: dm('alice:thread:1') });
    expect(sessionKey).toBe('agent:main:dm:alice%3athread%3a1');
  });
});
