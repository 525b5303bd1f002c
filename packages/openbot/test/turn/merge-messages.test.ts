import { expect, test } from 'vitest';
import type { InboxMessage } from '../../src/inbox/contract.ts';
import { mergeMessages } from '../../src/turn/merge-messages.ts';

const CONFIG = { channels: { telegram: { allowFrom: ['ada', 'bob'] } } };

function write(from: string, more: InboxMessage['ctx'] = {}): InboxMessage {
  return {
    identity: { channel: 'telegram', accountId: 'default', conversationId: 'g', messageId: from },
    agentId: 'main',
    sessionKey: 'agent:main:telegram:group:g',
    ctx: { RawBody: `from ${from}`, SenderId: from, ChatType: 'group', Provider: 'telegram', ...more },
    receivedAt: 1,
    seq: 1,
    tries: 0,
    state: 'received',
  };
}

test('messages of people who may all give commands keep the right', () => {
  expect(mergeMessages([write('ada'), write('bob')], CONFIG).CommandAuthorized).toBeUndefined();
  const known = { CommandAuthorized: true };
  expect(mergeMessages([write('x', known), write('y', known)]).CommandAuthorized).toBe(true);
});

test('one person who may not give commands takes the right away', () => {
  expect(mergeMessages([write('eve'), write('ada')], CONFIG).CommandAuthorized).toBe(false);
  expect(mergeMessages([write('ada'), write('eve')], CONFIG).CommandAuthorized).toBe(false);
  const refused = { CommandAuthorized: false };
  expect(mergeMessages([write('bob', refused), write('ada')], CONFIG).CommandAuthorized).toBe(false);
  expect(mergeMessages([write('ada'), write('bob')]).CommandAuthorized).toBe(false);
});

test('direct messages are one text', () => {
  const direct = { ChatType: 'direct' };
  const merged = mergeMessages([write('ada', direct), write('ada', direct)], CONFIG);
  expect(merged.RawBody).toBe('from ada\n\nfrom ada');
  expect(merged.CommandAuthorized).toBeUndefined();
});

test('the agent is given the words of the last direct message, and no command is found in it', () => {
  const direct = { ChatType: 'direct', CommandAuthorized: true, RawBody: undefined };
  const merged = mergeMessages([
    write('ada', { ...direct, Body: 'one' }),
    write('ada', { ...direct, Transcript: '/new' }),
  ]);
  expect(merged).toMatchObject({ BodyForAgent: '/new', BodyForCommands: 'one\n\n/new' });
});

test('media of all messages are listed, each file with its type', () => {
  const merged = mergeMessages([
    write('a', { MediaPath: '/a.png', MediaType: 'image/png' }),
    write('b', { MediaPaths: ['/b', '/c.ogg'], MediaTypes: ['', 'audio/ogg'] }),
    write('c', { MediaUrl: 'https://example.org/d' }),
    write('d'),
  ]);
  expect(merged).toMatchObject({
    MediaPath: '/a.png',
    MediaType: 'image/png',
    MediaPaths: ['/a.png', '/b', '/c.ogg', ''],
    MediaUrls: ['', '', '', 'https://example.org/d'],
    MediaTypes: ['image/png', '', 'audio/ogg', ''],
    MessageSids: ['a', 'b', 'c', 'd'],
  });
});
