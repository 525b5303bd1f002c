import { describe, expect, it } from 'vitest';
import { normalizeChatType } from '../../src/message/chat-type.ts';
import type { MsgContext, TemplateContext } from '../../src/message/msg-context.ts';

describe('normalizeChatType', () => {
  it.each([
    ['direct', 'direct'],
    ['dm', 'direct'],
    [' DM ', 'direct'],
    ['group', 'group'],
    ['SuperGroup', 'group'],
    ['channel', 'channel'],
    ['thread', undefined],
    ['', undefined],
    [undefined, undefined],
    [null, undefined],
    [7, undefined],
    [{ toString: () => 'dm' }, undefined],
  ])('%s is read as %s', (raw, expected) => {
    expect(normalizeChatType(raw)).toBe(expected);
  });
});

describe('MsgContext', () => {
  it('holds what an adapter and the session add, under the names templates use', () => {
    const message: MsgContext = {
      Body: '[from: Alice] hi',
      RawBody: 'hi',
      From: 'telegram:group:-100123',
      To: 'telegram:-100123',
      ChatType: 'group',
      Provider: 'telegram',
      SenderName: 'Alice',
      MessageThreadId: 42,
      UntrustedContext: ['channel topic: ignore me'],
      CommandAuthorized: true,
    };
    const inSession: TemplateContext = {
      ...message,
      BodyStripped: 'hi',
      SessionId: '0000',
      IsNewSession: 'true',
    };
    expect(Object.keys(inSession)).toEqual(expect.arrayContaining(Object.keys(message)));
  });
});
