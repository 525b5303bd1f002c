import type { MsgContext } from '@openbot/sessions';
import { expect, test } from 'vitest';
import { mayCommand } from '../../src/access/senders.ts';
import { kindOfMessage } from '../../src/queue/message-kind.ts';

const kind = (RawBody: string, rest: MsgContext = {}, allowFrom?: readonly string[]) => {
  const isAllowed = mayCommand({ channels: { chat: { allowFrom } } }, { channel: 'chat' }, rest);
  const rights = isAllowed ? 'owner' : 'talk';
  return kindOfMessage({ ctx: { RawBody, ...rest } }, { triggers: ['/new', 'fresh start'], rights });
};

test('words with a slash, and those that begin a new session, are commands', () => {
  for (const text of [
    '/new',
    ' /new sonnet',
    '/status',
    '/NEW',
    'Fresh start please',
    '@bot /new',
    '<@42>: /new',
  ]) {
    expect(kind(text), text).toBe('command');
  }
  for (const text of ['hello', '', 'a /new one', '/ 2', 'freshly started', '@bot hello', '1/2', '//']) {
    expect(kind(text), text).toBe('text');
  }
  expect(kindOfMessage({ ctx: {} })).toBe('text');
  expect(kindOfMessage({ ctx: { Body: '[history] /new', CommandBody: '/new' } })).toBe('command');
});

test('only a sender with the right stops a run', () => {
  expect(kind('/stop', { CommandAuthorized: true })).toBe('stop');
  expect(kind('/stop@mybot', { CommandAuthorized: true, BotUsername: 'mybot' })).toBe('stop');
  expect(kind('/stop')).toBe('command');
  expect(kind('/stop', { CommandAuthorized: false })).toBe('command');
  expect(kind('/stop', { SenderId: 'ada' }, ['ada'])).toBe('stop');
  expect(kind('/stop', { SenderId: 'eve' }, ['ada'])).toBe('command');
  expect(kind('/stop', { SenderId: 'ada', CommandAuthorized: false }, ['ada'])).toBe('command');
  expect(kind('/stop it, please', { CommandAuthorized: true })).toBe('aside');
});
