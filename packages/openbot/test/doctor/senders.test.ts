import { expect, test } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { senders } from '../../src/doctor/checks/senders.ts';
import { examine, openExamination } from '../../src/doctor/examine.ts';
import { openState } from '../../src/state/open-state.ts';
import { makePlace } from '../kept-sessions/session-places.ts';

const person = (channel: string, id: string) => ({
  ...{ channel, accountId: 'default', id, to: id, meta: {}, approvedAt: 1 },
});

/** A message that was heard, or with `heard: false` one of a stranger. */
interface Kept {
  readonly ctx: object;
  readonly heard?: false;
}

async function findings(
  config: BotConfig,
  approved: readonly object[] = [],
  origins: readonly object[] = [],
  kept: readonly Kept[] = [],
) {
  const entries = origins.map((origin, at) => [
    `agent:main:dm:${at}`,
    { sessionId: `0f00000${at}-0000-4000-8000-000000000000`, updatedAt: 1, origin },
  ]);
  const { stateDir, env, home } = makePlace(Object.fromEntries(entries), {
    'openbot.json': JSON.stringify(config),
    'channel-pairing.json': JSON.stringify({ version: 1, requests: [], approved }),
  });
  const state = await openState(stateDir);
  for (const [at, { ctx, heard }] of kept.entries())
    await state.inbox.accept({
      identity: { channel: 'webhook', accountId: 'default', conversationId: 'c', messageId: `${at}` },
      agentId: heard === false ? '' : 'main',
      sessionKey: heard === false ? '' : 'agent:main:main',
      ctx: ctx as never,
      receivedAt: at,
    });
  await state.close();
  const place = await openExamination({ stateDir, env, cwd: home, now: 1 });
  const [result] = await examine(place, [senders]);
  return result!.findings.map(({ what, remedy }) => `${what}. ${remedy}`);
}

test('entries that meant a known sender are named, with what to write', async () => {
  const config: BotConfig = {
    channels: {
      webhook: {
        allowFrom: ['ada', 'webhook:BOB', 'me', '*'],
        groupAllowFrom: [' eve '],
        groups: { crew: { allowFrom: ['ADA'] } },
      },
      telegram: { allowFrom: [777, ' 778'] },
      whatsapp: { allowFrom: ['us.134', '+41 79 123 45 67'] },
    },
    commands: { ownerAllowFrom: ['webhook: Ada', 'Webhook:Ada'] },
    session: { identityLinks: { ada: ['webhook:aDa'] } },
    bindings: [{ agentId: 'main', match: { channel: 'webhook', peer: { kind: 'direct', id: 'BoB' } } }],
  };
  const people = [
    person('webhook', 'Ada'),
    person('webhook', 'me'),
    person('webhook', 'ME'),
    person('whatsapp', 'US.134'),
    person('whatsapp', '+41791234567'),
  ];
  const origins = [
    { provider: 'webhook', from: 'webhook:bob' },
    { provider: 'webhook', from: 'webhook:group:Crew' },
    { provider: 'telegram', from: 'telegram:777' },
  ];
  const found = await findings(config, people, origins);
  const short = found.map((text) =>
    text.replace(/^(\S+) has (".*?"), which does not mean (".*?").* write (".*?") there.*$/, '$1 $2 $3 $4'),
  );
  expect(short).toEqual([
    'channels.webhook.allowFrom "ada" "Ada" "Ada"',
    'channels.webhook.allowFrom "webhook:BOB" "bob" "webhook:bob"',
    'channels.webhook.groupAllowFrom " eve " "eve" "eve"',
    'channels.webhook.groups "crew" "Crew" "Crew"',
    'channels.webhook.groups.crew.allowFrom "ADA" "Ada" "Ada"',
    'channels.telegram.allowFrom " 778" "778" "778"',
    'channels.whatsapp.allowFrom "us.134" "US.134" "US.134"',
    'commands.ownerAllowFrom "webhook: Ada" "Ada" "webhook:Ada"',
    'session.identityLinks.ada "webhook:aDa" "Ada" "webhook:Ada"',
    'bindings[0].match "BoB" "bob" "bob"',
  ]);
  expect(found[0]).toBe(
    'channels.webhook.allowFrom has "ada", which does not mean "Ada" of webhook: ids are compared letter for letter, with case and spaces. If that is who you mean, write "Ada" there, in the file that openbot config path names',
  );
});

test('a sender who passed with the name of the channel in front', async () => {
  const config = { channels: { webhook: { allowFrom: ['me'] } } };
  expect(await findings(config, [person('webhook', 'webhook:me')])).toEqual([
    expect.stringMatching(/"me", which does not mean "webhook:me" of webhook.* write "webhook:webhook:me"/),
  ]);
});

test('nothing is said of entries that mean somebody, or may', async () => {
  const config: BotConfig = {
    channels: {
      webhook: { allowFrom: ['me', 'Carol', 'crm:42', ' x '] },
      telegram: { allowFrom: ['TG:777'] },
    },
  };
  expect(await findings(config, [person('webhook', 'me'), person('webhook', ' x ')])).toEqual([]);
});

test('senders, groups and topics of the messages that were heard are known', async () => {
  const config: BotConfig = {
    channels: {
      webhook: {
        allowFrom: ['ada', 'me', 'Stranger'],
        groups: { Crew: { topics: { t1: {}, ' 5': {}, '*': {} } } },
      },
    },
  };
  const kept: readonly Kept[] = [
    { ctx: { From: 'webhook:Ada', SenderId: 'Ada' } },
    { ctx: { From: 'webhook:group:crew', SenderId: 'ME', MessageThreadId: 'T1' } },
    { ctx: { From: 'webhook:stranger', SenderId: 'stranger' }, heard: false },
  ];
  const found = await findings(config, [], [{ provider: 'webhook', from: 'webhook:bob' }], kept);
  expect(found.map((text) => /^(\S+) has (".*?"), which does not mean (".*?")/.exec(text)?.slice(1))).toEqual(
    [
      ['channels.webhook.allowFrom', '"ada"', '"Ada"'],
      ['channels.webhook.allowFrom', '"me"', '"ME"'],
      ['channels.webhook.groups', '"Crew"', '"crew"'],
      ['channels.webhook.groups.Crew.topics', '"t1"', '"T1"'],
      ['channels.webhook.groups.Crew.topics', '" 5"', '"5"'],
    ],
  );
});
