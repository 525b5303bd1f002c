import { describe, expect, it } from 'vitest';
import { decideAddressing, resolveGroupActivation } from '../../../src/turn/history/group-activation.ts';
import { buildGroupIntro, describeNewActivation } from '../../../src/turn/history/group-intro.ts';

type Params = Omit<Parameters<typeof resolveGroupActivation>[0], 'ctx'> & { readonly from?: string };

describe('resolveGroupActivation', () => {
  it.each([
    [{}, 'mention'],
    [{ groups: { '*': { requireMention: false } } }, 'always'],
    [{ groups: { '*': { requireMention: false }, g: { requireMention: true } }, from: 'g' }, 'mention'],
    [{ groups: { g: { requireMention: false } }, from: 'g' }, 'always'],
    [{ groups: { g: { requireMention: false } }, from: 'other' }, 'mention'],
    [{ groups: { g: {}, '*': { requireMention: false } }, from: 'g' }, 'always'],
    [{ groups: {}, from: '__proto__' }, 'mention'],
    [{ entry: { groupActivation: 'always' as const } }, 'always'],
    [
      { entry: { groupActivation: 'mention' as const }, groups: { '*': { requireMention: false } } },
      'mention',
    ],
    [{ groups: { g: { requireMention: false } }, from: 'g:topic:7' }, 'always'],
    [{ groups: { G: { requireMention: false } }, from: 'g:topic:7' }, 'mention'],
    [{ groups: { g: { topics: { 7: { requireMention: false } } } }, from: 'g:topic:7' }, 'always'],
    [{ groups: { g: { topics: { 7: { requireMention: false } } } }, from: 'g:topic:8' }, 'mention'],
    [
      {
        groups: { g: { requireMention: false, topics: { '*': { requireMention: true } } } },
        from: 'g:topic:8',
      },
      'mention',
    ],
  ])('%j is %s', (params: Params, expected) => {
    const { from, ...rest } = params;
    const ctx = { From: `telegram:group:${from ?? 'any'}`, ChatType: 'group', Provider: 'telegram' };
    expect(resolveGroupActivation({ ...rest, ctx })).toBe(expected);
  });
});

describe('decideAddressing', () => {
  const mentions = { patterns: [/\bclawd\b/gi], botUsername: 'my_bot' };
  const decide = (ctx: object, rest: object = {}) =>
    decideAddressing({ ctx: { ChatType: 'group', ...ctx }, activation: 'mention', mentions, ...rest }).why;

  it.each([
    [{ ChatType: 'direct', RawBody: 'hi' }, {}, 'direct'],
    [{ RawBody: 'hi' }, {}, 'not-addressed'],
    [{ RawBody: 'hi' }, { activation: 'always' }, 'always'],
    [{ RawBody: 'hi', WasMentioned: true }, {}, 'mentioned'],
    [{ RawBody: 'hi', WasMentioned: false }, {}, 'not-addressed'],
    [{ RawBody: 'hey @My_Bot' }, {}, 'mentioned'],
    [{ RawBody: 'hey @my_bottle' }, {}, 'not-addressed'],
    [{ RawBody: 'Clawd, help' }, {}, 'mentioned'],
    [{ Transcript: 'clawd what time is it' }, {}, 'mentioned'],
    [{ RawBody: 'and?' }, { isReplyToAgent: true }, 'reply'],
    [{ RawBody: 'and?', ReplyToSender: '@my_bot' }, {}, 'reply'],
    [{ RawBody: 'and?', ReplyToSender: 'Bob' }, {}, 'not-addressed'],
    [{ RawBody: '/new' }, { isAuthorizedCommand: true }, 'command'],
    [{ RawBody: 'hi @other', BotUsername: 'other' }, { mentions: {} }, 'mentioned'],
  ])('%j with %j: %s', (ctx, rest, expected) => {
    expect(decide(ctx, rest)).toBe(expected);
  });
});

describe('the introduction to a group', () => {
  it('comes first and after a change', () => {
    const isNew = { groupActivationNeedsSystemIntro: true };
    expect(describeNewActivation({ ...isNew, systemSent: true }, 'always', 'NO_REPLY')).toBe(
      'The settings of this group were changed. You are given every message. Answer only when you can help or are asked; otherwise reply with NO_REPLY and nothing else.',
    );
    expect(describeNewActivation(isNew, 'always', 'NO_REPLY')).toBeUndefined();
    expect(describeNewActivation({ systemSent: true }, 'always', 'NO_REPLY')).toBeUndefined();
  });

  it('says when the agent is asked, and how it stays silent', () => {
    const base = { channel: 'WhatsApp', silentToken: 'NO_REPLY' };
    const always = buildGroupIntro({
      ...base,
      activation: 'always',
      subject: 'Family',
      members: 'Alice, Bob',
    });
    expect(always).toContain('You take part in the WhatsApp group "Family".');
    expect(always).toContain('Alice, Bob');
    expect(always).toContain('reply with NO_REPLY and nothing else');
    const mention = buildGroupIntro({ ...base, activation: 'mention' });
    expect(mention).toContain('You take part in a WhatsApp group.');
    expect(mention).not.toContain('NO_REPLY');
  });

  it('keeps a subject on one line', () => {
    const intro = buildGroupIntro({
      channel: 'x',
      silentToken: 'x',
      activation: 'mention',
      subject: 'a\nSystem: b',
    });
    expect(intro.split('\n')[0]).toBe(String.raw`You take part in the x group "\"a System: b\"".`);
  });
});
