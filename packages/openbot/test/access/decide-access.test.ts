import type { MsgContext } from '@openbot/sessions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { decideAccess } from '../../src/access/decide-access.ts';
import { isOneOf, isOwner, mayCommand } from '../../src/access/senders.ts';
import { CHANNEL_KINDS } from '../../src/channels/all.ts';
import type { ChannelAccountSettings } from '../../src/config/bot-config.ts';

const decide = (settings: ChannelAccountSettings, ctx: MsgContext, isPaired = false) =>
  decideAccess(settings, 'telegram', ctx, () => isPaired).is;

describe('direct messages', () => {
  const from = (SenderId: string | undefined, more: MsgContext = {}): MsgContext => ({
    From: SenderId && `telegram:${SenderId}`,
    SenderId,
    ChatType: 'direct',
    Provider: 'telegram',
    ...more,
  });

  it.each([
    [{}, 'stranger'],
    [{ dmPolicy: 'pairing' }, 'stranger'],
    [{ dmPolicy: 'allowlist' }, 'refused'],
    [{ dmPolicy: 'open' }, 'heard'],
    [{ dmPolicy: 'open', allowFrom: [1] }, 'heard'],
    [{ dmPolicy: 'disabled', allowFrom: ['*', 777] }, 'refused'],
    ...['pairing', 'allowlist'].flatMap((dmPolicy) =>
      [777, '777', 'telegram:777', 'TG:777', '*'].map((id) => [{ dmPolicy, allowFrom: [id] }, 'heard']),
    ),
    [{ allowFrom: [778, '', 'discord:777', '@ada', 'ada', 'Ada', ' 777 ', 'telegram: 777'] }, 'stranger'],
  ] as [ChannelAccountSettings, string][])('%j: %s', (settings, expected) => {
    const ctx = from('777', { SenderUsername: 'ada', SenderTag: 'ada', SenderName: 'Ada' });
    expect(decide(settings, ctx)).toBe(expected);
  });

  it('an approval counts for pairing alone', () => {
    const policies = ['pairing', 'allowlist', 'open', 'disabled'] as const;
    const decided = policies.map((dmPolicy) => decide({ dmPolicy }, from('777'), true));
    expect(decided).toEqual(['heard', 'refused', 'heard', 'refused']);
  });

  it('phone numbers in any spelling are one on WhatsApp, and on no other network', () => {
    const ctx = from('US.134', { SenderE164: '+41791234567', From: 'US.134' });
    const on = (channel: string, ...allowFrom: (string | number)[]) =>
      decideAccess({ allowFrom }, channel, ctx, () => false).is;
    for (const id of ['41791234567', 41791234567, '+41 79 123 45 67', '+41 (79) 123-45-67']) {
      expect(on('whatsapp', id), String(id)).toBe('heard');
      expect(on('whatsapp', `whatsapp:${id}`), String(id)).toBe('heard');
      expect(on('webhook', id), String(id)).toBe('stranger');
    }
    expect(on('whatsapp', '41791234567:3@s.whatsapp.net')).toBe('heard');
    expect(on('whatsapp', 'us.134', 'US.134 ', '+41791234568')).toBe('stranger');
    expect(on('webhook', '+41791234567')).toBe('heard');
  });

  it('a name that looks like an id, and a sender without an id, are not let in', () => {
    expect(decide({ allowFrom: [777] }, from('1', { SenderUsername: '777', SenderName: '777' }))).toBe(
      'stranger',
    );
    expect(decide({ allowFrom: [777] }, from(undefined, { SenderUsername: '777' }))).toBe('refused');
    // What an adapter says of commands lets nobody in.
    expect(decide({ dmPolicy: 'allowlist' }, from('1', { CommandAuthorized: true }))).toBe('refused');
  });
});

describe('groups', () => {
  const from = (SenderId: string, more: MsgContext = {}): MsgContext => ({
    From: 'telegram:group:-100',
    SenderId,
    ChatType: 'group',
    Provider: 'telegram',
    ...more,
  });
  const groups = { '-100': {} };

  it.each([
    [{}, 'refused'],
    [{ allowFrom: [777] }, 'refused'],
    [{ groups }, 'refused'],
    [{ groups, allowFrom: [777] }, 'heard'],
    [{ groups, allowFrom: [777], groupAllowFrom: [1] }, 'refused'],
    [{ groups, allowFrom: [777], groupAllowFrom: [] }, 'refused'],
    [{ groups, groupAllowFrom: [777] }, 'heard'],
    [{ groups, groupAllowFrom: ['*'] }, 'heard'],
    [{ groups: { '*': {} }, groupAllowFrom: [777] }, 'heard'],
    [{ groups: { '-200': {} }, groupAllowFrom: [777] }, 'refused'],
    [{ groups: {}, groupPolicy: 'open' }, 'refused'],
    [{ groupPolicy: 'open' }, 'heard'],
    [{ groupPolicy: 'open', groups: { '-200': {} } }, 'refused'],
    [{ groupPolicy: 'open', groups }, 'heard'],
    [{ groupPolicy: 'disabled', groups, groupAllowFrom: ['*'] }, 'refused'],
    [{ groupPolicy: 'open', groups: { '-100': { enabled: false } } }, 'refused'],
    [{ groups: { '-100': { groupPolicy: 'open' } } }, 'heard'],
    [{ groups: { '-100': { allowFrom: [777] } } }, 'heard'],
    [{ groups: { '-100': { allowFrom: [1] } }, groupAllowFrom: [777] }, 'refused'],
    [{ groupPolicy: 'open', groups: { '-100': { allowFrom: [1] } } }, 'refused'],
    [{ groups: { '*': { groupPolicy: 'open' }, '-100': {} } }, 'refused'],
  ] as [ChannelAccountSettings, string][])('%j: %s', (settings, expected) => {
    expect(decide(settings, from('777'))).toBe(expected);
  });

  it('an approval of direct messages does not count there', () => {
    expect(decide({ groups }, from('777'), true)).toBe('refused');
  });

  it('a topic has the settings of its group, and its own', () => {
    const inTopic = from('777', { From: 'telegram:group:-100:topic:42', MessageThreadId: 42 });
    expect(decide({ groups, groupAllowFrom: [777] }, inTopic)).toBe('heard');
    const off = { '-100': { topics: { 42: { enabled: false } } } };
    expect(decide({ groups: off, groupAllowFrom: [777] }, inTopic)).toBe('refused');
    expect(decide({ groups: off, groupAllowFrom: [777] }, from('777'))).toBe('heard');
  });

  it('a server stands for its channels, and a channel of its own settings goes first', () => {
    const ctx = from('777', {
      From: 'discord:channel:5',
      ChatType: 'channel',
      GroupSpace: '9',
      Provider: 'discord',
    });
    expect(decide({ groups: { 9: {} }, groupAllowFrom: [777] }, ctx)).toBe('heard');
    expect(decide({ groups: { 9: {}, 5: { enabled: false } }, groupAllowFrom: [777] }, ctx)).toBe('refused');
  });

  it('an id that objects have is no group', () => {
    const ctx = from('777', { From: 'telegram:group:constructor' });
    expect(decide({ groups, groupAllowFrom: [777] }, ctx)).toBe('refused');
  });
});

describe('commands', () => {
  const account = { channel: 'telegram' };
  const by = (SenderId: string, more: MsgContext = {}) => ({ SenderId, ChatType: 'direct', ...more });

  it('those in allowFrom may give them; `*` makes no owner, and a name neither', () => {
    const of = (...allowFrom: (string | number)[]) => ({ channels: { telegram: { allowFrom } } });
    expect(mayCommand(of('*'), account, by('1'))).toBe(true);
    expect(isOwner(of('*'), account, by('1'))).toBe(false);
    expect(isOwner(of('*', 'telegram:1'), account, by('1'))).toBe(true);
    expect(mayCommand(of('@ada', 'ada'), account, by('1', { SenderUsername: 'ada' }))).toBe(false);
    expect(mayCommand({}, account, by('1'))).toBe(false);
    expect(mayCommand({}, account, by('1', { CommandAuthorized: true }))).toBe(true);
    expect(mayCommand(of(1), account, by('1', { CommandAuthorized: false }))).toBe(false);
  });

  it('owners that are named are the only ones, on the network that they are named for', () => {
    const config = {
      channels: { telegram: { allowFrom: [1, 2] } },
      commands: { ownerAllowFrom: ['telegram:1', 'discord:3'] },
    };
    expect(isOwner(config, account, by('1'))).toBe(true);
    expect(isOwner(config, account, by('2'))).toBe(false);
    expect(mayCommand(config, account, by('2'))).toBe(true);
    expect(isOwner(config, account, by('3'))).toBe(false);
    expect(isOwner(config, { channel: 'discord' }, by('3'))).toBe(true);
    expect(mayCommand(config, { channel: 'discord' }, by('3'))).toBe(true);
    const nobody = { ...config, commands: { ownerAllowFrom: [] } };
    expect(isOwner(nobody, account, by('1', { CommandAuthorized: true }))).toBe(false);
  });
});

describe('ids with a network in front', HUNT, () => {
  const networks = [...Object.keys(CHANNEL_KINDS), 'webchat', 'cli', 'slack', 'signal', 'imessage'];
  const network = fc.constantFrom(...networks);
  const words = fc.array(fc.constantFrom('crm', '42', 'tenant-7', '+4917012345', '@ada', 'user'), {
    minLength: 1,
    maxLength: 3,
  });
  const id = words.map((parts) => parts.join(':'));
  /** What a sender on a network where programs choose their ids may call itself. */
  const says = (channel: string, SenderId: string, OriginatingChannel = channel): MsgContext => ({
    From: `${channel}:${SenderId}`,
    SenderId,
    ChatType: 'direct',
    Provider: channel,
    OriginatingChannel,
  });
  const rights = (channel: string, ctx: MsgContext, entry: string) => {
    const settings: ChannelAccountSettings = {
      dmPolicy: 'allowlist',
      allowFrom: [entry],
      groupAllowFrom: [entry],
      groups: { '*': {} },
    };
    const config = { channels: { [channel]: settings }, commands: { ownerAllowFrom: [entry] } };
    const inGroup = { ...ctx, From: `${channel}:group:5`, ChatType: 'group' };
    return {
      owner: isOwner(config, { channel }, ctx),
      ownerByList: isOwner({ channels: config.channels }, { channel }, ctx),
      commands: mayCommand(config, { channel }, ctx),
      heard: decideAccess(settings, channel, ctx, () => false).is === 'heard',
      heardInGroup: decideAccess(settings, channel, inGroup, () => false).is === 'heard',
    };
  };
  const NONE = { owner: false, ownerByList: false, commands: false, heard: false, heardInGroup: false };
  const ALL = { owner: true, ownerByList: true, commands: true, heard: true, heardInGroup: true };

  it('one of another network is nobody here, whatever a sender calls itself', () => {
    expect(rights('webhook', says('webhook', 'telegram:777'), 'telegram:777')).toEqual(NONE);
    expect(rights('webhook', says('webhook', 'tg:777'), 'TG:777')).toEqual(NONE);
    // A message that says it began elsewhere.
    expect(rights('webhook', says('webhook', '777', 'telegram'), 'telegram:777')).toEqual(NONE);
    fc.assert(
      fc.property(network, network, id, (here, there, person) => {
        fc.pre(here !== there);
        const entry = `${there}:${person}`;
        for (const name of [person, entry, entry.toUpperCase(), `${here}:${entry}`, ` ${entry} `])
          expect(rights(here, says(here, name), entry), `${name} on ${here}`).toEqual(NONE);
      }),
      cases({ gate: 300, torture: 20_000 }),
    );
  });

  it('one of the own network, and one without, may have colons', () => {
    fc.assert(
      fc.property(network, id, (here, person) => {
        for (const entry of [person, `${here}:${person}`, `${here.toUpperCase()} :${person}`])
          expect(rights(here, says(here, person), entry), `${entry} on ${here}`).toEqual(ALL);
        expect(isOneOf(here, says(here, person), [person])).toBe(true);
      }),
      cases({ gate: 300, torture: 20_000 }),
    );
  });

  it('nobody but the exact sender is meant', () => {
    const letters = fc.string({
      unit: fc.constantFrom('m', 'M', 'e', 'E', ' ', ':', 'ß', 'İ'),
      maxLength: 6,
    });
    const anyId = fc.oneof(id, letters).filter((text) => text.trim() !== '' && text.trim() !== '*');
    const alter = fc.constantFrom<(text: string, channel: string) => string>(
      (text) => text.toUpperCase(),
      (text) => text.toLowerCase(),
      (text) => `${text} `,
      (text) => ` ${text}`,
      (text) => text.trim(),
      (text) => `@${text}`,
      (text) => text.normalize('NFD'),
      (text, channel) => `${channel}:${text}`,
      (text, channel) => `${channel}: ${text}`,
      (text) => text.slice(text.indexOf(':') + 1),
    );
    const isPhone = (text: string) => /^[+\d][\d\s().-]*$/.test(text);
    fc.assert(
      fc.property(network, anyId, alter, (here, person, change) => {
        const other = change(person, here);
        fc.pre(other !== person && other !== '' && !(here === 'whatsapp' && isPhone(person)));
        // An entry that names a channel is about another id.
        fc.pre(
          !networks.includes(
            person
              .slice(0, Math.max(0, person.indexOf(':')))
              .trim()
              .toLowerCase(),
          ),
        );
        for (const entry of [person, `${here}:${person}`])
          expect(rights(here, says(here, other), entry), `${other} for ${entry} on ${here}`).toEqual(NONE);
        expect(isOneOf(here, says(here, other), [person])).toBe(false);
        expect(rights(here, says(here, person), `${here}:${person}`)).toEqual(ALL);
      }),
      cases({ gate: 500, torture: 50_000 }),
    );
  });

  it('who was approved is known by the id of their network, however it is spelled', () => {
    for (const person of ['telegram:777', 'webhook:777', 'crm:42', '777'])
      expect(isOneOf('webhook', says('webhook', person), [person]), person).toBe(true);
    expect(isOneOf('telegram', { From: 'telegram:777', ChatType: 'direct' }, ['telegram:777'])).toBe(true);
    expect(isOneOf('webhook', says('webhook', 'ada'), ['*', 'telegram:ada'])).toBe(false);
    expect(isOneOf('webhook', says('webhook', 'ada'), [])).toBe(false);
  });
});
