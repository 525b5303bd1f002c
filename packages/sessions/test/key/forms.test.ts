import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import {
  buildAgentMainSessionKey,
  buildAgentPeerSessionKey,
  buildCloneSessionKey,
  buildCronSessionKey,
  buildHookSessionKey,
  buildSubagentSessionKey,
} from '../../src/key/build.ts';
import { formatSessionKey } from '../../src/key/format.ts';
import { parseAgentSessionKey, parseSessionKey } from '../../src/key/parse.ts';
import type { DmScope } from '../../src/key/parsed-key.ts';
import { canonicalizeSessionKey, listSessionKeySpellings } from '../../src/key/spellings.ts';
import {
  buildThreadSessionKey,
  parseThreadSessionSuffix,
  resolveThreadParentSessionKey,
  resolveThreadSessionKeys,
} from '../../src/key/thread.ts';
import { oddIds } from './key-arbitraries.ts';

const telegram = { agentId: 'main', channel: 'telegram', peerId: 'user123' };

describe('the forms that are built', () => {
  it.each<[string, string]>([
    [buildAgentMainSessionKey({ agentId: 'main' }), 'agent:main:main'],
    [buildAgentMainSessionKey({ agentId: 'Support Desk', mainKey: ' Work ' }), 'agent:support-desk:work'],
    [buildAgentPeerSessionKey(telegram), 'agent:main:main'],
    [buildAgentPeerSessionKey({ ...telegram, dmScope: 'main' }), 'agent:main:main'],
    [buildAgentPeerSessionKey({ ...telegram, dmScope: 'per-peer' }), 'agent:main:dm:user123'],
    [
      buildAgentPeerSessionKey({ ...telegram, dmScope: 'per-channel-peer' }),
      'agent:main:telegram:dm:user123',
    ],
    [
      buildAgentPeerSessionKey({ ...telegram, dmScope: 'per-account-channel-peer' }),
      'agent:main:telegram:default:dm:user123',
    ],
    [
      buildAgentPeerSessionKey({ ...telegram, accountId: 'Bot 2', dmScope: 'per-account-channel-peer' }),
      'agent:main:telegram:bot-2:dm:user123',
    ],
    [
      buildAgentPeerSessionKey({
        agentId: 'main',
        channel: 'WhatsApp',
        peerKind: 'group',
        peerId: '120363@g.us',
      }),
      'agent:main:whatsapp:group:120363@g.us',
    ],
    [
      buildAgentPeerSessionKey({ agentId: 'main', channel: 'slack', peerKind: 'channel', peerId: 'C1' }),
      'agent:main:slack:channel:c1',
    ],
    [buildThreadSessionKey('agent:main:slack:channel:c1', 'T123'), 'agent:main:slack:channel:c1:thread:t123'],
    [buildSubagentSessionKey({ agentId: 'main', key: 'task1' }), 'agent:main:subagent:task1'],
    [
      buildSubagentSessionKey({ agentId: 'main', key: 'worker1:task123' }),
      'agent:main:subagent:worker1:task123',
    ],
    [buildCronSessionKey({ agentId: 'main', jobId: 'Daily-Report' }), 'agent:main:cron:daily-report'],
    [buildCronSessionKey({ agentId: 'main', jobId: 'j1', runId: 'r1' }), 'agent:main:cron:j1:run:r1'],
    [buildHookSessionKey({ agentId: 'main', hookId: 'gmail:18f3' }), 'agent:main:hook:gmail:18f3'],
    [
      buildCloneSessionKey({ agentId: 'main', cloneId: '0B7D3C1E-0000-4000-8000-000000000000' }),
      'agent:main:clone:0b7d3c1e-0000-4000-8000-000000000000',
    ],
    [
      buildAgentPeerSessionKey({
        agentId: 'main',
        channel: 'telegram',
        peerKind: 'group',
        peerId: '-100123:topic:42',
      }),
      'agent:main:telegram:group:-100123:topic:42',
    ],
  ])('%s', (built, expected) => {
    expect(built).toBe(expected);
  });

  it('reads numbers as ids', () => {
    expect(
      buildAgentPeerSessionKey({
        agentId: 'main',
        channel: 'telegram',
        peerKind: 'group',
        peerId: -1001234567890,
      }),
    ).toBe('agent:main:telegram:group:-1001234567890');
    expect(buildThreadSessionKey('agent:main:main', 42)).toBe('agent:main:main:thread:42');
  });

  it('falls back where a part is missing', () => {
    expect(buildAgentPeerSessionKey({ agentId: '', channel: '', dmScope: 'per-peer' })).toBe(
      'agent:main:main',
    );
    expect(
      buildAgentPeerSessionKey({ agentId: 'main', channel: ' ', dmScope: 'per-channel-peer', peerId: 'x' }),
    ).toBe('agent:main:unknown:dm:x');
    expect(
      buildAgentPeerSessionKey({ agentId: 'main', channel: 'telegram', peerKind: 'group', peerId: ' ' }),
    ).toBe('agent:main:telegram:group:unknown');
  });

  it('keeps a peer apart from the thread that it imitates', () => {
    const victim = buildAgentPeerSessionKey({ ...telegram, peerId: 'alice', dmScope: 'per-peer' });
    const thread = buildThreadSessionKey(victim, '1');
    const imitator = buildAgentPeerSessionKey({ ...telegram, peerId: 'alice:thread:1', dmScope: 'per-peer' });
    expect(thread).toBe('agent:main:dm:alice:thread:1');
    expect(imitator).toBe('agent:main:dm:alice%3athread%3a1');
    expect(parseSessionKey(imitator)).toMatchObject({ kind: 'direct', peerId: 'alice:thread:1' });
  });

  it('writes ids with colons as they are when nothing is ambiguous', () => {
    expect(
      buildAgentPeerSessionKey({
        agentId: 'main',
        channel: 'matrix',
        peerId: '@user:example.org',
        dmScope: 'per-channel-peer',
      }),
    ).toBe('agent:main:matrix:dm:@user:example.org');
    expect(buildThreadSessionKey('agent:main:matrix:channel:!r:example.org', '$ev:example.org')).toBe(
      'agent:main:matrix:channel:!r:example.org:thread:$ev:example.org',
    );
  });
});

describe('ids that differ by case or spaces', () => {
  const keyOf = (peerId: string, dmScope: DmScope = 'per-peer', channel = 'webhook') =>
    buildAgentPeerSessionKey({ agentId: 'main', channel, accountId: 'x', peerId, dmScope });

  it.each([
    ['me', 'agent:main:dm:me'],
    ['ME', 'agent:main:dm:%4d%45'],
    ['Me', 'agent:main:dm:%4de'],
    ['me ', 'agent:main:dm:me%20'],
    [' me', 'agent:main:dm: me'],
    ['Äda', 'agent:main:dm:%c3%84da'],
    ['%4d', 'agent:main:dm:%254d'],
    ['50%', 'agent:main:dm:50%'],
    ['M:thread:1', 'agent:main:dm:%254d%3athread%3a1'],
    ['777', 'agent:main:dm:777'],
  ])('%j is %s', (peerId, key) => {
    expect(keyOf(peerId)).toBe(key);
    expect(parseSessionKey(key)).toMatchObject({ kind: 'direct', peerId });
  });

  it('have keys of their own in every scope, group and thread', HUNT, () => {
    const scopes = ['per-peer', 'per-channel-peer', 'per-account-channel-peer'] as const;
    const channels = ['webhook', 'whatsapp', 'telegram', 'discord', 'matrix', 'signal'];
    const change = fc.constantFrom<(id: string) => string>(
      (id) => id.toUpperCase(),
      (id) => id.toLowerCase(),
      (id) => `${id} `,
      (id) => id.trim(),
      (id) => keyOf(id).replace('agent:main:dm:', ''),
    );
    fc.assert(
      fc.property(oddIds, change, fc.constantFrom(...channels), (id, alter, channel) => {
        const other = alter(id);
        // WhatsApp has no two such ids.
        fc.pre(other !== id && !(channel === 'whatsapp' && /^[a-z]{2}\.|@g\.us$/i.test(id)));
        for (const scope of scopes) expect(keyOf(other, scope, channel)).not.toBe(keyOf(id, scope, channel));
        const groupOf = (peerId: string) =>
          buildAgentPeerSessionKey({ agentId: 'main', channel, peerKind: 'group', peerId });
        expect(groupOf(other)).not.toBe(groupOf(id));
        const threadOf = (threadId: string) => buildThreadSessionKey('agent:main:main', threadId);
        expect(threadOf(other)).not.toBe(threadOf(id));
      }),
      cases({ gate: 500, torture: 50_000 }),
    );
  });

  it('are one where OpenClaw writes them in lower case and the network has no two such ids', () => {
    expect(keyOf('U012AB', 'per-channel-peer', 'slack')).toBe('agent:main:slack:dm:u012ab');
    expect(keyOf('US.1349', 'per-channel-peer', 'whatsapp')).toBe('agent:main:whatsapp:dm:us.1349');
    expect(keyOf('US.aB', 'per-channel-peer', 'whatsapp')).toBe('agent:main:whatsapp:dm:us.a%42');
    expect(keyOf('U012AB', 'per-channel-peer', 'webhook')).toBe('agent:main:webhook:dm:%55012%41%42');
  });
});

describe('the forms that are read beside those', () => {
  it.each<[string, object]>([
    ['global', { kind: 'global' }],
    ['unknown', { kind: 'unknown' }],
    [
      'agent:default:123456',
      { kind: 'direct', agentId: 'default', scope: 'per-peer', spelling: 'bare', peerId: '123456' },
    ],
    ['agent:main:+4917012345', { kind: 'direct', spelling: 'bare', peerId: '+4917012345' }],
    ['agent:main:direct:u1', { kind: 'direct', scope: 'per-peer', spelling: 'direct', peerId: 'u1' }],
    [
      'agent:main:telegram:direct:42',
      { kind: 'direct', scope: 'per-channel-peer', spelling: 'direct', channel: 'telegram', peerId: '42' },
    ],
    [
      'agent:main:telegram:bot2:direct:42',
      { scope: 'per-account-channel-peer', channel: 'telegram', accountId: 'bot2', peerId: '42' },
    ],
    [
      'agent:main:telegram:group:-100123:topic:42',
      {
        kind: 'thread',
        marker: 'topic',
        threadId: '42',
        parentKey: 'agent:main:telegram:group:-100123',
        parent: { kind: 'group', agentId: 'main', channel: 'telegram', peerId: '-100123' },
      },
    ],
    ['AGENT:Main:Slack:Channel:C1', { kind: 'channel', agentId: 'main', channel: 'slack', peerId: 'c1' }],
    ['  agent:main:main  ', { kind: 'main', agentId: 'main', mainKey: 'main' }],
    [
      'agent:main:slack:team1:channel:c1',
      { kind: 'channel', channel: 'slack', accountId: 'team1', peerId: 'c1' },
    ],
    ['agent:main:acp:1234', { kind: 'other', rest: 'acp:1234' }],
    ['agent:main:dm', { kind: 'other', rest: 'dm' }],
    ['agent:main:cron', { kind: 'other', rest: 'cron' }],
    ['agent:main:telegram:group:', { kind: 'other', rest: 'telegram:group:' }],
    ['agent:main:dm:fe80::1', { kind: 'direct', peerId: 'fe80::1' }],
    ['agent:main:dm:thread:5', { kind: 'direct', peerId: 'thread:5' }],
    ['agent:main:subagent:a:subagent:b', { kind: 'subagent', name: 'a:subagent:b' }],
  ])('%s', (key, expected) => {
    expect(parseSessionKey(key)).toMatchObject(expected);
  });

  it('takes the configured main key, and main beside it, for the main session', () => {
    expect(parseSessionKey('agent:main:work')).toMatchObject({ kind: 'direct', spelling: 'bare' });
    expect(parseSessionKey('agent:main:work', { mainKey: 'Work' })).toEqual({
      kind: 'main',
      agentId: 'main',
      mainKey: 'work',
    });
    expect(parseSessionKey('agent:main:main', { mainKey: 'work' })).toMatchObject({
      kind: 'main',
      mainKey: 'main',
    });
  });

  it.each(['2026.1.30', '2026.7.35'])('every key of the store of OpenClaw %s is an agent key', (version) => {
    const store = new URL(`../../../../fixtures/openclaw-files/${version}/sessions.json`, import.meta.url);
    const keys = Object.keys(JSON.parse(readFileSync(store, 'utf8')) as object);
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      const parsed = parseSessionKey(key);
      expect(parsed, key).toMatchObject({ agentId: 'main' });
      expect(formatSessionKey(parsed!)).toBe(key);
    }
  });
});

describe('parseAgentSessionKey', () => {
  it.each<[unknown, object | null]>([
    ['agent:main:main', { agentId: 'main', rest: 'main' }],
    ['agent:main:whatsapp:group:123@g.us', { agentId: 'main', rest: 'whatsapp:group:123@g.us' }],
    ['Agent:Main:X', { agentId: 'main', rest: 'x' }],
    ['agent:main', null],
    ['agent:main:', null],
    ['agent::main', null],
    ['agent', null],
    ['main', null],
    ['telegram:dm:1', null],
    ['', null],
    [undefined, null],
    [null, null],
    [42, null],
    [{}, null],
    ['agent:../x:main', null],
    ['agent:a b:main', null],
    [`agent:${'a'.repeat(65)}:main`, null],
    ['agent:main:x\u0000y', null],
    ['agent:main:\ud800', null],
    [`agent:main:${'x'.repeat(2000)}`, null],
  ])('%j', (key, expected) => {
    expect(parseAgentSessionKey(key as string)).toEqual(expected);
  });
});

describe('threads', () => {
  it('resolves a thread under its base', () => {
    expect(
      resolveThreadSessionKeys({
        baseSessionKey: 'agent:main:slack:channel:c1',
        threadId: '1700.12',
        parentSessionKey: 'agent:main:slack:channel:c1',
      }),
    ).toEqual({
      sessionKey: 'agent:main:slack:channel:c1:thread:1700.12',
      parentSessionKey: 'agent:main:slack:channel:c1',
    });
  });

  it('leaves the base alone without a thread, or when it is the thread already', () => {
    const baseSessionKey = 'agent:main:discord:channel:99';
    const none = { sessionKey: baseSessionKey, parentSessionKey: undefined };
    expect(resolveThreadSessionKeys({ baseSessionKey, parentSessionKey: 'agent:main:main' })).toEqual(none);
    expect(resolveThreadSessionKeys({ baseSessionKey, threadId: '  ' })).toEqual(none);
    expect(
      resolveThreadSessionKeys({
        baseSessionKey,
        threadId: '99',
        parentSessionKey: 'agent:main:discord:channel:7',
        useSuffix: false,
      }),
    ).toEqual({ sessionKey: baseSessionKey, parentSessionKey: 'agent:main:discord:channel:7' });
  });

  it('takes a thread key apart', () => {
    expect(parseThreadSessionSuffix('agent:main:slack:channel:c1:thread:t1')).toEqual({
      baseSessionKey: 'agent:main:slack:channel:c1',
      threadId: 't1',
    });
    expect(parseThreadSessionSuffix('agent:main:main')).toEqual({
      baseSessionKey: 'agent:main:main',
      threadId: undefined,
    });
    expect(parseThreadSessionSuffix(null)).toEqual({ baseSessionKey: undefined, threadId: undefined });
    expect(resolveThreadParentSessionKey('agent:main:telegram:group:-1:topic:2')).toBe(
      'agent:main:telegram:group:-1',
    );
    expect(resolveThreadParentSessionKey('agent:main:main')).toBeNull();
  });
});

describe('spellings', () => {
  it('lists the keys under which a store may hold the same conversation', () => {
    expect(listSessionKeySpellings('agent:main:telegram:dm:42')).toEqual([
      'agent:main:telegram:dm:42',
      'agent:main:telegram:direct:42',
    ]);
    expect(listSessionKeySpellings('agent:main:telegram:direct:42:topic:7').sort()).toEqual([
      'agent:main:telegram:direct:42:thread:7',
      'agent:main:telegram:direct:42:topic:7',
      'agent:main:telegram:dm:42:thread:7',
      'agent:main:telegram:dm:42:topic:7',
    ]);
    expect(listSessionKeySpellings('agent:main:main')).toEqual(['agent:main:main']);
    expect(listSessionKeySpellings('whatever')).toEqual(['whatever']);
    expect(listSessionKeySpellings('global')).toEqual(['global']);
  });

  it('the main session has its configured name and main, its agent’s alone without the agent in front', () => {
    const names = { mainKey: 'Work', bareAgentId: 'main' };
    for (const key of ['agent:main:main', 'agent:main:work']) {
      expect(listSessionKeySpellings(key, names).sort()).toEqual([
        'agent:main:main',
        'agent:main:work',
        'main',
        'work',
      ]);
    }
    expect(listSessionKeySpellings('agent:main:main', { bareAgentId: 'main' })).toEqual([
      'agent:main:main',
      'main',
    ]);
    expect(listSessionKeySpellings('agent:codex:work', names)).toEqual([
      'agent:codex:work',
      'agent:codex:main',
    ]);
    expect(listSessionKeySpellings('agent:main:work')).toEqual(['agent:main:work']);
    expect(listSessionKeySpellings('agent:main:work:thread:7', names).sort()).toEqual([
      'agent:main:main:thread:7',
      'agent:main:main:topic:7',
      'agent:main:work:thread:7',
      'agent:main:work:topic:7',
    ]);
  });

  it('stays small for a key that nests threads without end', () => {
    const key = `agent:main:main${':thread:x'.repeat(100)}`;
    expect(listSessionKeySpellings(key)).toHaveLength(2);
  });

  it('writes dm', () => {
    expect(canonicalizeSessionKey('Agent:main:telegram:direct:42:topic:7')).toBe(
      'agent:main:telegram:dm:42:topic:7',
    );
    expect(canonicalizeSessionKey('agent:main:casea')).toBe('agent:main:casea');
    expect(canonicalizeSessionKey('unknown')).toBe('unknown');
  });
});
