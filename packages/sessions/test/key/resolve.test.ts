import { describe, expect, it } from 'vitest';
import { buildAgentPeerSessionKey } from '../../src/key/build.ts';
import {
  classifySessionKeyShape,
  deriveChannelFromKey,
  deriveChatTypeFromKey,
  getSubagentDepth,
  isCronRunSessionKey,
  isCronSessionKey,
  isHookSessionKey,
  isSubagentSessionKey,
  isThreadSessionKey,
} from '../../src/key/classify.ts';
import { buildGroupHistoryKey, isGroupMessage, resolveGroupSessionKey } from '../../src/key/group.ts';
import { resolveLinkedPeerId } from '../../src/key/identity-links.ts';
import {
  canonicalizeMainSessionAlias,
  resolveAgentIdFromSessionKey,
  resolveSessionKey,
  toAgentRequestSessionKey,
  toAgentStoreSessionKey,
} from '../../src/key/resolve.ts';
import type { MsgContext } from '../../src/message/msg-context.ts';

describe('resolveGroupSessionKey', () => {
  it.each<[MsgContext, string]>([
    [{ From: '120363@g.us' }, 'whatsapp:group:120363@g.us'],
    [{ From: '120363@G.US', Provider: 'WhatsApp' }, 'whatsapp:group:120363@g.us'],
    [{ From: 'whatsapp:120363@g.us' }, 'whatsapp:group:120363@g.us'],
    [{ From: 'whatsapp:group:123@g.us' }, 'whatsapp:group:123@g.us'],
    [{ From: 'telegram:group:-100123', Provider: 'telegram' }, 'telegram:group:-100123'],
    [{ From: 'telegram:group:-100123:topic:42', ChatType: 'group' }, 'telegram:group:-100123:topic:42'],
    [{ From: '-100123', ChatType: 'supergroup', Provider: 'telegram' }, 'telegram:group:-100123'],
    [{ From: 'telegram:-100123', ChatType: 'group' }, 'telegram:group:-100123'],
    [{ From: 'slack:channel:C1' }, 'slack:channel:c1'],
    [{ From: 'discord:channel:99', ChatType: 'channel' }, 'discord:channel:99'],
    [{ From: 'discord:99', ChatType: 'channel' }, 'discord:channel:99'],
    [
      { From: '!Room:example.org', ChatType: 'channel', Provider: 'matrix' },
      'matrix:channel:!%52oom:example.org',
    ],
    [{ From: 'webhook:group:Crew ', Provider: 'webhook' }, 'webhook:group:%43rew%20'],
    [{ From: 'homemade:group:5' }, 'homemade:group:5'],
    [{ From: 'homemade:5', ChatType: 'group', Provider: 'homemade' }, 'homemade:group:5'],
    [{ From: '77', ChatType: 'group', Surface: 'signal' }, 'signal:group:77'],
    [{ From: '77', ChatType: 'group', OriginatingChannel: 'line' }, 'line:group:77'],
    [{ From: 'irc:group:a::b' }, 'irc:group:a::b'],
  ])('%j is %s', (ctx, key) => {
    const resolution = resolveGroupSessionKey(ctx);
    expect(resolution?.key).toBe(key);
    expect(isGroupMessage(ctx)).toBe(true);
    const [channel, chatType] = key.split(':');
    expect(resolution).toMatchObject({ channel, chatType });
  });

  it('gives the parts beside the key', () => {
    expect(resolveGroupSessionKey({ From: 'whatsapp:group:123@g.us', ChatType: 'group' })).toEqual({
      key: 'whatsapp:group:123@g.us',
      channel: 'whatsapp',
      id: '123@g.us',
      chatType: 'group',
    });
  });

  it.each<[MsgContext]>([
    [{}],
    [{ From: '+4917012345' }],
    [{ From: 'telegram:42', Provider: 'telegram' }],
    [{ From: 'telegram:42', ChatType: 'dm' }],
    // A person's id may look like a group's; the adapter knows better.
    [{ From: 'matrix:@x:group:y', ChatType: 'direct' }],
  ])('%j is no group', (ctx) => {
    expect(resolveGroupSessionKey(ctx)).toBeNull();
    expect(isGroupMessage(ctx)).toBe(false);
  });

  it.each<[MsgContext]>([
    [{ ChatType: 'group' }],
    [{ From: '-100', ChatType: 'group' }],
    [{ ChatType: 'group', Provider: 'telegram' }],
    [{ From: 'telegram:group:', ChatType: 'group' }],
  ])('%j is an unknown group', (ctx) => {
    expect(resolveGroupSessionKey(ctx)).toBeNull();
    expect(isGroupMessage(ctx)).toBe(true);
  });
});

describe('resolveSessionKey', () => {
  const group = { From: '120363@g.us', ChatType: 'group', Provider: 'whatsapp' };

  it('uses an explicit key as it is, in lower case, in every scope', () => {
    const ctx = { ...group, SessionKey: ' Agent:Codex:Slack:Channel:C1 ' };
    expect(resolveSessionKey('per-sender', ctx)).toBe('agent:codex:slack:channel:c1');
    expect(resolveSessionKey('global', ctx)).toBe('agent:codex:slack:channel:c1');
    expect(resolveSessionKey('per-sender', { SessionKey: 'any thing' })).toBe('any thing');
  });

  it('takes a blank one for none', () => {
    expect(resolveSessionKey('per-sender', { SessionKey: '  ', From: '+1' })).toBe('agent:main:main');
  });

  it('wraps a group in its agent', () => {
    expect(resolveSessionKey('per-sender', group)).toBe('agent:main:whatsapp:group:120363@g.us');
    expect(resolveSessionKey('per-sender', group, 'work', 'Codex')).toBe(
      'agent:codex:whatsapp:group:120363@g.us',
    );
  });

  it('collapses direct messages to the main session', () => {
    expect(resolveSessionKey('per-sender', { From: '+4917012345' })).toBe('agent:main:main');
    expect(resolveSessionKey('per-sender', {}, 'work', 'codex')).toBe('agent:codex:work');
  });

  it('has one key for everybody in the global scope', () => {
    expect(resolveSessionKey('global', group)).toBe('global');
    expect(resolveSessionKey('global', {})).toBe('global');
  });

  it('does not put an unnamed group among the direct messages', () => {
    expect(() => resolveSessionKey('per-sender', { ChatType: 'group', From: '-100' })).toThrowError(
      expect.objectContaining({ code: 'INVALID_SESSION_KEY', hint: expect.stringContaining('Provider') }),
    );
  });

  it('keeps a group id that imitates a thread apart from the thread', () => {
    const ctx = { From: 'irc:group:a:thread:b', ChatType: 'group' };
    expect(resolveSessionKey('per-sender', ctx)).toBe('agent:main:irc:group:a%3athread%3ab');
  });
});

describe('identity links', () => {
  const identityLinks = {
    Alice: ['telegram:42', 'Discord:99', '+4917012345'],
    bob: ['7', 'webhook:Ada'],
    ' ': ['5'],
  };

  it.each([
    ['telegram', '42', 'alice'],
    ['Telegram', '42', 'alice'],
    ['telegram', ' 42 ', null],
    ['webhook', 'Ada', 'bob'],
    ['webhook', 'ada', null],
    ['webhook', 'webhook:Ada', null],
    ['discord', '99', 'alice'],
    ['discord', '42', null],
    ['signal', '+4917012345', 'alice'],
    ['irc', '7', 'bob'],
    ['irc', '5', null],
    ['irc', 'alice', null],
    ['telegram', 'telegram:42', null],
    ['webhook', 'telegram:42', null],
  ])('%s %s is %s', (channel, peerId, expected) => {
    expect(resolveLinkedPeerId({ identityLinks, channel, peerId })).toBe(expected);
  });

  it('join one person’s channels in every scope but main', () => {
    const on = (channel: string, peerId: string, dmScope: 'main' | 'per-peer' | 'per-channel-peer') =>
      buildAgentPeerSessionKey({ agentId: 'main', channel, peerId, dmScope, identityLinks });
    expect(on('telegram', '42', 'per-peer')).toBe('agent:main:dm:alice');
    expect(on('discord', '99', 'per-peer')).toBe('agent:main:dm:alice');
    expect(on('discord', '99', 'per-channel-peer')).toBe('agent:main:discord:dm:alice');
    expect(on('telegram', '43', 'per-peer')).toBe('agent:main:dm:43');
    expect(on('telegram', '42', 'main')).toBe('agent:main:main');
  });

  it('survive settings that are not lists', () => {
    const odd = { alice: 'telegram:42', bob: null } as unknown as Record<string, string[]>;
    expect(resolveLinkedPeerId({ identityLinks: odd, channel: 'telegram', peerId: '42' })).toBeNull();
    expect(resolveLinkedPeerId({ identityLinks: null, peerId: '42' })).toBeNull();
  });

  it('an id that is spelled as a name is not the person of that name', () => {
    const links = { ada: ['telegram:42'], 42: ['discord:7'] };
    const keyOf = (channel: string, peerId: string) =>
      buildAgentPeerSessionKey({
        agentId: 'main',
        channel,
        peerId,
        dmScope: 'per-peer',
        identityLinks: links,
      }).slice('agent:main:dm:'.length);
    expect(keyOf('telegram', '42')).toBe('ada');
    expect(keyOf('discord', '7')).toBe('42');
    const ids = ['ada', 'ADA', 'ada ', 'unlinked:ada', 'unlinked:unlinked:ada', 'unlinked:bob', '42'];
    expect(ids.map((id) => keyOf('webhook', id))).toEqual([
      'unlinked:ada',
      '%41%44%41',
      'ada%20',
      'unlinked:unlinked:ada',
      'unlinked:unlinked:unlinked:ada',
      'unlinked:bob',
      'unlinked:42',
    ]);
  });
});

describe('between an agent and the store', () => {
  it.each<[string | null | undefined, string]>([
    [undefined, 'agent:codex:work'],
    ['', 'agent:codex:work'],
    ['MAIN', 'agent:codex:work'],
    ['telegram:dm:42', 'agent:codex:telegram:dm:42'],
    ['agent:main:X', 'agent:main:x'],
    ['global', 'global'],
    ['unknown', 'unknown'],
  ])('request %j is stored as %s', (requestKey, expected) => {
    expect(toAgentStoreSessionKey({ agentId: 'Codex', requestKey, mainKey: 'work' })).toBe(expected);
  });

  it.each<[unknown, string | undefined]>([
    ['agent:main:telegram:dm:42', 'telegram:dm:42'],
    ['global', 'global'],
    ['  ', undefined],
    [null, undefined],
    [7, undefined],
  ])('stored %j is requested as %s', (storeKey, expected) => {
    expect(toAgentRequestSessionKey(storeKey as string)).toBe(expected);
  });

  it('finds the agent', () => {
    expect(resolveAgentIdFromSessionKey('agent:Codex:main')).toBe('codex');
    expect(resolveAgentIdFromSessionKey('global')).toBe('main');
    expect(resolveAgentIdFromSessionKey(undefined)).toBe('main');
    expect(() => resolveAgentIdFromSessionKey('agent:')).toThrowError(/not of the form/);
  });

  it('knows the aliases of the main session', () => {
    const alias = (sessionKey: string, scope?: 'global') =>
      canonicalizeMainSessionAlias({ agentId: 'codex', sessionKey, mainKey: 'work', scope });
    expect(['main', 'work', 'agent:codex:main', 'agent:codex:work'].map((key) => alias(key))).toEqual(
      Array(4).fill('agent:codex:work'),
    );
    expect(alias('main', 'global')).toBe('global');
    expect(alias('agent:other:main')).toBe('agent:other:main');
    expect(alias('agent:codex:telegram:dm:1')).toBe('agent:codex:telegram:dm:1');
  });
});

describe('what a key says of its session', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['agent:main:main', 'direct', undefined],
    ['agent:main:dm:42', 'direct', undefined],
    ['agent:main:telegram:direct:42', 'direct', 'telegram'],
    ['agent:main:slack:channel:c1:thread:t1', 'channel', 'slack'],
    ['agent:main:telegram:group:-1:topic:2', 'group', 'telegram'],
    ['telegram:group:-1', 'group', 'telegram'],
    ['agent:main:subagent:x', undefined, undefined],
    ['global', undefined, undefined],
    ['agent:', undefined, undefined],
  ])('%s is %s on %s', (key, chatType, channel) => {
    expect(deriveChatTypeFromKey(key)).toBe(chatType);
    expect(deriveChannelFromKey(key)).toBe(channel);
  });

  it('distinguishes the kinds', () => {
    expect(isSubagentSessionKey('agent:main:subagent:worker1:task123')).toBe(true);
    expect(isSubagentSessionKey('subagent:x')).toBe(true);
    expect(isSubagentSessionKey('agent:main:subagent:x:thread:1')).toBe(true);
    expect(isSubagentSessionKey('agent:main:dm:subagent:x')).toBe(false);
    expect(isSubagentSessionKey(undefined)).toBe(false);
    expect(isCronSessionKey('agent:main:cron:j')).toBe(true);
    expect(isCronRunSessionKey('agent:main:cron:j')).toBe(false);
    expect(isCronRunSessionKey('agent:main:cron:j:run:r')).toBe(true);
    expect(isHookSessionKey('agent:main:hook:x')).toBe(true);
    expect(isThreadSessionKey('agent:main:main:thread:1')).toBe(true);
    expect(isThreadSessionKey('telegram:group:-1:topic:2')).toBe(true);
    expect(isThreadSessionKey('agent:main:thread:1')).toBe(false);
    expect(isThreadSessionKey(42 as unknown as string)).toBe(false);
  });

  it('counts how deep a subagent is', () => {
    expect(getSubagentDepth('agent:main:main')).toBe(0);
    expect(getSubagentDepth('agent:main:subagent:a')).toBe(1);
    expect(getSubagentDepth('agent:main:subagent:a:subagent:b')).toBe(2);
    expect(getSubagentDepth('subagent:a')).toBe(1);
    expect(getSubagentDepth(null)).toBe(0);
  });

  it('names the shape', () => {
    expect(['', 'agent:main:main', 'agent:main', 'AGENT', 'telegram:1'].map(classifySessionKeyShape)).toEqual(
      ['missing', 'agent', 'malformed_agent', 'malformed_agent', 'legacy_or_alias'],
    );
  });

  it('names the buffer of a group', () => {
    expect(buildGroupHistoryKey({ channel: 'Telegram', peerKind: 'group', peerId: -100 })).toBe(
      'telegram:default:group:-100',
    );
  });
});
