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
import { isKeyText } from '../../src/key/key-text.ts';
import { normalizeAccountId, normalizeAgentId } from '../../src/key/normalize.ts';
import { parseSessionKey } from '../../src/key/parse.ts';
import type { ParsedAgentKey } from '../../src/key/parsed-key.ts';
import { buildThreadSessionKey } from '../../src/key/thread.ts';
import { accountIds, agentIds, asKept, asWritten, channels, oddIds } from './key-arbitraries.ts';

const runs = cases({ gate: 300, torture: 20_000 });
const hasTopic = (id: string) => /^.*\S.*:topic:.*\S.*$/.test(asWritten(id));

describe('parsing what was built gives back the parts', () => {
  it('for the main session', HUNT, () => {
    const mainKeys = fc.constantFrom('main', 'Work', 'x y', '+1', '@me', '120363@g.us', 'run', 'agent');
    fc.assert(
      fc.property(agentIds, mainKeys, (agentId, mainKey) => {
        const key = buildAgentMainSessionKey({ agentId, mainKey });
        expect(parseSessionKey(key, { mainKey })).toEqual({
          kind: 'main',
          agentId: normalizeAgentId(agentId),
          mainKey: asWritten(mainKey),
        });
      }),
      runs,
    );
  });

  it('for direct messages in the three scopes that divide them', HUNT, () => {
    fc.assert(
      fc.property(agentIds, channels, accountIds, oddIds, (agentId, channel, accountId, peerId) => {
        const given = { agentId, channel, accountId, peerId };
        const parts = {
          kind: 'direct',
          agentId: normalizeAgentId(agentId),
          spelling: 'dm',
          peerId: asKept(channel, peerId),
        };
        const channelPart = { channel: asWritten(channel) || 'unknown' };
        const read = (dmScope: 'per-peer' | 'per-channel-peer' | 'per-account-channel-peer') =>
          parseSessionKey(buildAgentPeerSessionKey({ ...given, dmScope }));
        expect(read('per-peer')).toEqual({ ...parts, scope: 'per-peer' });
        expect(read('per-channel-peer')).toEqual({ ...parts, ...channelPart, scope: 'per-channel-peer' });
        expect(read('per-account-channel-peer')).toEqual({
          ...parts,
          ...channelPart,
          accountId: normalizeAccountId(accountId),
          scope: 'per-account-channel-peer',
        });
      }),
      runs,
    );
  });

  it('for groups and channels', HUNT, () => {
    const kinds = fc.constantFrom('group' as const, 'channel' as const);
    fc.assert(
      fc.property(agentIds, channels, kinds, oddIds, (agentId, channel, peerKind, peerId) => {
        fc.pre(!hasTopic(peerId));
        const key = buildAgentPeerSessionKey({ agentId, channel, peerKind, peerId });
        expect(parseSessionKey(key)).toEqual({
          kind: peerKind,
          agentId: normalizeAgentId(agentId),
          channel: asWritten(channel) || 'unknown',
          peerId: asKept(channel, peerId),
        });
      }),
      runs,
    );
  });

  it("for a group's topic given as part of its id", HUNT, () => {
    fc.assert(
      fc.property(oddIds, oddIds, (group, topic) => {
        const given = `${group}:topic:${topic}`;
        fc.pre(!hasTopic(`${group}:`) && !asWritten(group).split(':').includes('topic'));
        const key = buildAgentPeerSessionKey({
          agentId: 'main',
          channel: 'telegram',
          peerKind: 'group',
          peerId: given,
        });
        expect(parseSessionKey(key)).toMatchObject({
          kind: 'thread',
          marker: 'topic',
          threadId: topic,
          parent: { kind: 'group', peerId: group },
        });
      }),
      runs,
    );
  });

  it('for subagents, hooks and clones', HUNT, () => {
    fc.assert(
      fc.property(agentIds, oddIds, (given, id) => {
        const agentId = normalizeAgentId(given);
        const written = asWritten(id);
        expect(parseSessionKey(buildSubagentSessionKey({ agentId: given, key: id }))).toEqual({
          kind: 'subagent',
          agentId,
          name: written,
        });
        expect(parseSessionKey(buildHookSessionKey({ agentId: given, hookId: id }))).toEqual({
          kind: 'hook',
          agentId,
          hookId: written,
        });
        expect(parseSessionKey(buildCloneSessionKey({ agentId: given, cloneId: id }))).toEqual({
          kind: 'clone',
          agentId,
          cloneId: written,
        });
      }),
      runs,
    );
  });

  it('for cron jobs and their runs', HUNT, () => {
    fc.assert(
      fc.property(oddIds, oddIds, (jobId, runId) => {
        const job = { kind: 'cron', agentId: 'main', jobId: asWritten(jobId) };
        expect(parseSessionKey(buildCronSessionKey({ agentId: 'main', jobId }))).toEqual(job);
        expect(parseSessionKey(buildCronSessionKey({ agentId: 'main', jobId, runId }))).toEqual({
          ...job,
          runId: asWritten(runId),
        });
      }),
      runs,
    );
  });

  it('for threads of every one of them, and threads of threads', HUNT, () => {
    const parents = oddIds.chain((id) =>
      fc.constantFrom(
        buildAgentMainSessionKey({ agentId: 'main' }),
        buildAgentPeerSessionKey({ agentId: 'main', channel: 'matrix', peerId: id, dmScope: 'per-peer' }),
        buildAgentPeerSessionKey({ agentId: 'main', channel: 'matrix', peerId: id, peerKind: 'channel' }),
        buildSubagentSessionKey({ agentId: 'main', key: id }),
        buildCronSessionKey({ agentId: 'main', jobId: id, runId: id }),
        buildHookSessionKey({ agentId: 'main', hookId: id }),
        `agent:main:${['some', 'unknown', 'form'].join(':')}`,
      ),
    );
    const markers = fc.constantFrom('thread' as const, 'topic' as const);
    fc.assert(
      fc.property(parents, oddIds, oddIds, markers, (parentKey, outer, inner, marker) => {
        const thread = buildThreadSessionKey(parentKey, outer, marker);
        const nested = buildThreadSessionKey(thread, inner);
        expect(parseSessionKey(thread)).toEqual({
          kind: 'thread',
          agentId: 'main',
          marker,
          threadId: outer,
          parentKey,
          parent: parseSessionKey(parentKey),
        });
        expect(parseSessionKey(nested)).toMatchObject({ threadId: inner, parentKey: thread });
      }),
      runs,
    );
  });
});

describe('formatting what was parsed gives back the key', () => {
  const rests = fc.array(oddIds, { minLength: 1, maxLength: 5 }).map((ids) => ids.map(asWritten).join(':'));

  it('for any agent key, of a known form or not', HUNT, () => {
    const firsts = fc.constantFrom('', 'dm:', 'direct:', 'telegram:dm:', 'cron:', 'irc:x:group:', 'hook:');
    fc.assert(
      fc.property(firsts, rests, (first, rest) => {
        const key = asWritten(`agent:main:${first}${rest}`);
        fc.pre(isKeyText(key));
        const parsed = parseSessionKey(key);
        expect(parsed).not.toBeNull();
        expect(formatSessionKey(parsed as ParsedAgentKey)).toBe(key);
      }),
      cases({ gate: 700, torture: 50_000 }),
    );
  });

  it('for the keys without an agent', () => {
    expect(formatSessionKey({ kind: 'global' })).toBe('global');
    expect(formatSessionKey({ kind: 'unknown' })).toBe('unknown');
  });
});
