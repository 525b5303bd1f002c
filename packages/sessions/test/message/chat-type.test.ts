import { describe, expect, it } from 'vitest';
import { normalizeChatType } from '../../src/message/chat-type.ts';

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
