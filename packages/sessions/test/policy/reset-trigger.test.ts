import { describe, expect, it } from 'vitest';
import type { SenderContext } from '../../src/policy/authorized-sender.ts';
import { isAuthorizedSender } from '../../src/policy/authorized-sender.ts';
import { matchResetTrigger } from '../../src/policy/reset-trigger.ts';

const match = (body: string | undefined, triggers?: string[]) =>
  matchResetTrigger({ body, triggers, authorized: true });

describe('matchResetTrigger', () => {
  it.each<[string, string, string]>([
    ['/new', '/new', ''],
    ['/reset', '/reset', ''],
    ['  /NEW  ', '/new', ''],
    ['/new summarize this', '/new', 'summarize this'],
    ['/Reset Read /Home/Me/File.TXT', '/reset', 'Read /Home/Me/File.TXT'],
    ['/new\nfirst line\n second', '/new', 'first line\n second'],
    ['/new\tminimax  summarize', '/new', 'minimax  summarize'],
    ['/new /new', '/new', ''],
    ['/new /reset  now', '/new', 'now'],
  ])('%j', (body, trigger, bodyStripped) => {
    expect(match(body)).toEqual({ trigger, bodyStripped });
  });

  it.each(['/newer', '/news today', 'please /new', '/ne', '', '   ', '/new-session', '/new@other', 'new'])(
    '%j is none',
    (body) => {
      expect(match(body)).toBeNull();
    },
  );

  it('only counts for those who may', () => {
    expect(matchResetTrigger({ body: '/new', authorized: false })).toBeNull();
  });

  it('uses a list of one’s own instead', () => {
    expect(match('Fresh Start now', ['fresh start'])).toEqual({
      trigger: 'fresh start',
      bodyStripped: 'now',
    });
    expect(match('/new', ['fresh start'])).toBeNull();
  });

  it('takes the defaults for an empty list, and skips blank triggers', () => {
    expect(match('/new', [])).toEqual({ trigger: '/new', bodyStripped: '' });
    expect(match('anything', ['', '  '])).toBeNull();
    expect(match('/x', ['/x', null as unknown as string])).toEqual({ trigger: '/x', bodyStripped: '' });
  });

  it('prefers the longest, in any order', () => {
    for (const triggers of [
      ['/new', '/new session'],
      ['/new session', '/new'],
    ]) {
      expect(match('/new session please', triggers)).toEqual({
        trigger: '/new session',
        bodyStripped: 'please',
      });
      expect(match('/new sessions', triggers)).toEqual({ trigger: '/new', bodyStripped: 'sessions' });
    }
  });

  it('takes the bot’s own name for part of the trigger', () => {
    const named = (body: string) => matchResetTrigger({ body, authorized: true, botUsername: '@MyBot' });
    expect(named('/new@mybot hello')).toEqual({ trigger: '/new', bodyStripped: 'hello' });
    expect(named('/new@mybot')).toEqual({ trigger: '/new', bodyStripped: '' });
    expect(named('/new@mybotty hello')).toBeNull();
    expect(named('/new@otherbot')).toBeNull();
    expect(named('/new hello')).toEqual({ trigger: '/new', bodyStripped: 'hello' });
  });

  it('is not confused by letters whose lower case is longer', () => {
    expect(match('İİ rest', ['İİ'])).toEqual({ trigger: 'İİ', bodyStripped: 'rest' });
    expect(match('/new İstanbul')).toEqual({ trigger: '/new', bodyStripped: 'İstanbul' });
  });

  it('has an answer for what is no text', () => {
    expect(match(undefined)).toBeNull();
    expect(match(42 as unknown as string)).toBeNull();
  });
});

describe('isAuthorizedSender', () => {
  const may = (ctx: SenderContext, allowFrom?: (string | number)[]) => isAuthorizedSender({ ctx, allowFrom });

  it('without a list, the adapter decides, and silence means no', () => {
    expect(may({ CommandAuthorized: true })).toBe(true);
    expect(may({ CommandAuthorized: true }, [])).toBe(true);
    expect(may({})).toBe(false);
    expect(may({ CommandAuthorized: false })).toBe(false);
    expect(may({ SenderId: '42' }, ['  '])).toBe(false);
  });

  it('a refusal of the adapter overrides every list', () => {
    expect(may({ CommandAuthorized: false, SenderId: '42' }, ['*', '42'])).toBe(false);
  });

  it('a star lets everybody', () => {
    expect(may({}, ['*'])).toBe(true);
    expect(may({ SenderId: '1' }, ['7', ' * '])).toBe(true);
  });

  it.each<[string, SenderContext, string | number, boolean]>([
    ['id', { SenderId: '42' }, '42', true],
    ['id as a number', { SenderId: '42' }, 42, true],
    ['id with the channel', { SenderId: '42', Provider: 'telegram' }, 'telegram:42', true],
    ['id with the short channel', { SenderId: '42', Provider: 'Telegram' }, 'TG:42', true],
    ['id of another channel', { SenderId: '42', Provider: 'discord' }, 'telegram:42', false],
    ['id spelled as of another', { SenderId: 'telegram:42', Provider: 'webhook' }, 'telegram:42', false],
    ['the same, short', { SenderId: 'tg:42', Provider: 'webhook' }, 'TG :42', false],
    ['name spelled as of another', { SenderUsername: 'irc:ada', Provider: 'discord' }, 'irc:ada', false],
    ['it, as of its own', { SenderId: 'telegram:42', Provider: 'webhook' }, 'webhook:telegram:42', true],
    ['id with a colon', { SenderId: 'crm:42', Provider: 'webhook' }, 'crm:42', true],
    ['it, with the channel', { SenderId: 'crm:42', Provider: 'webhook' }, 'webhook:crm:42', true],
    ['prefix, of no known channel', { SenderId: 'telegram:42' }, 'telegram:42', true],
    ['another id', { SenderId: '42' }, '421', false],
    ['id with the prefix of its channel', { SenderId: 'telegram:42', Provider: 'telegram' }, '42', false],
    ['phone', { SenderE164: '+4917012345' }, '+4917012345', true],
    ['phone, in another spelling', { SenderE164: '+4917012345' }, '+49 170 12345', false],
    ['phone without plus', { SenderE164: '+4917012345' }, '4917012345', false],
    ['an id with the digits of a phone', { SenderId: '4917012345' }, '+4917012345', false],
    ['another phone', { SenderE164: '+4917012345' }, '+4917012346', false],
    ['username', { SenderUsername: 'alice' }, '@alice', true],
    ['username without at', { SenderUsername: 'alice' }, 'alice', true],
    ['username with at', { SenderUsername: '@alice' }, '@alice', true],
    ['username in another case', { SenderUsername: 'Alice' }, '@alice', false],
    ['tag', { SenderTag: 'alice#1234' }, 'alice#1234', true],
    ['Matrix id', { SenderId: '@alice:example.org', Provider: 'matrix' }, '@alice:example.org', true],
    ['Matrix id in another case', { SenderId: '@Alice:example.org' }, '@alice:example.org', false],
    ['id in another case', { SenderId: 'ME' }, 'me', false],
    ['id with a space', { SenderId: 'me ' }, 'me', false],
    ['entry with a space', { SenderId: 'me' }, ' me', false],
    ['id of two spaces', { SenderId: ' me ' }, ' me ', true],
    ['From of a direct message', { From: 'telegram:42', Provider: 'telegram' }, '42', true],
    [
      'From of a group',
      { From: 'telegram:group:-100', Provider: 'telegram', ChatType: 'group' },
      '-100',
      false,
    ],
    ['group id in From, no chat type', { From: '120363@g.us' }, '120363@g.us', false],
    ['From beside another id', { From: 'webhook:me', SenderId: 'ME', Provider: 'webhook' }, 'me', false],
    ['From in another case', { From: 'webhook:ME', Provider: 'webhook' }, 'me', false],
    ['From of an id with a prefix', { From: 'webhook:webhook:me', Provider: 'webhook' }, 'me', false],
    ['negative id', { SenderId: '-100' }, '100', false],
    ['a username made of digits', { SenderUsername: '42', SenderId: '7' }, '42', false],
    ['a username that is a phone', { SenderUsername: '+4917012345' }, '+4917012345', false],
    ['digits with dots are no id', { SenderId: '15' }, '1.5', false],
    ['nobody', {}, '42', false],
    ['empty sender', { SenderId: '', SenderUsername: '@' }, '@', false],
  ])('%s', (_name, ctx, entry, expected) => {
    expect(may(ctx, [entry])).toBe(expected);
  });

  it('what a network takes for one person is compared in one spelling', () => {
    const normalizeId = (id: string) => id.replaceAll('-', '');
    const may = (allowFrom: string[]) =>
      isAuthorizedSender({ ctx: { SenderId: '+49-170', Provider: 'signal' }, allowFrom, normalizeId });
    expect(may(['signal:+491-70'])).toBe(true);
    expect(may(['+4-9171'])).toBe(false);
  });

  it('a display name never counts', () => {
    const ctx = { SenderName: 'alice', SenderId: '7' } as SenderContext;
    expect(may(ctx, ['alice'])).toBe(false);
  });

  it('has an answer for odd input', () => {
    expect(may({ SenderId: 42 as unknown as string }, ['42'])).toBe(true);
    expect(may({ From: 'a\u0000b' }, ['42'])).toBe(false);
    expect(isAuthorizedSender({ ctx: {}, allowFrom: '*' as unknown as string[] })).toBe(false);
    expect(may({ SenderId: '42' }, [null as unknown as string, {} as unknown as string, '42'])).toBe(true);
  });
});
