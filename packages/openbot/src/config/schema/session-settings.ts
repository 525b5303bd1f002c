/** Sessions, and which agent a message goes to. */
import * as z from 'zod/mini';
import type { Binding, BotConfig } from '../bot-config.ts';
import {
  about,
  byName,
  count,
  flag,
  id,
  oneOf,
  type Shape,
  section,
  someText,
  text,
  texts,
} from './values.ts';

type Session = NonNullable<BotConfig['session']>;

const hour = 'must be an hour from 0 to 23';

const resetShape = {
  mode: about(
    '`daily` at an hour, `idle` after a time without messages, `manual` only on request',
    oneOf('daily', 'idle', 'manual'),
    'daily',
  ),
  atHour: about(
    'The hour of `daily`, in the time zone of the agent',
    z.optional(z.int(hour).check(z.gte(0, { error: hour }), z.lte(23, { error: hour }))),
    4,
  ),
  idleMinutes: about('Of `idle`; with `daily` what comes first', count(1)),
} satisfies Shape<NonNullable<Session['reset']>>;
const reset = section(resetShape);

const sendAction = z.enum(['allow', 'deny'], "must be 'allow' or 'deny'");

export const session = section({
  scope: about(
    '`global`: one session for everything that an agent gets',
    oneOf('per-sender', 'global'),
    'per-sender',
  ),
  dmScope: about(
    'Which direct messages share a session: all of an agent, those of a person, of a person on a channel, of a person on an account',
    oneOf('main', 'per-peer', 'per-channel-peer', 'per-account-channel-peer'),
    'main',
  ),
  identityLinks: about(
    "One person's ids on several channels, by name: `{ alice: ['telegram:42', 'discord:77'] }`",
    byName(z.array(id, 'must be a list of ids')),
  ),
  mainKey: about('The last part of the key of the main session', someText, 'main'),
  store: about(
    'Path of the session store, which the transcripts are beside; `{agentId}` is the agent, and must be in it when several agents have the scope `global`',
    someText,
    'agents/{agentId}/sessions/sessions.json',
  ),
  reset: about('When a new session begins', reset),
  resetByType: about(
    'The same by kind of conversation',
    section({
      direct: about('Of direct messages', reset),
      dm: about('Older spelling of `direct`', reset),
      group: about('Of groups', reset),
      thread: about('Of threads', reset),
    }),
  ),
  resetByChannel: about(
    'The same by channel; nothing else counts there',
    byName(z.strictObject(resetShape, 'must be an object')),
  ),
  resetTriggers: about('Messages that start a new session', texts, ['/new', '/reset']),
  idleMinutes: about("Older spelling of `reset: { mode: 'idle', idleMinutes }`", count(1)),
  threads: about(
    'Threads and topics of a conversation',
    section({
      enabled: about(
        'Whether a thread has a session of its own; otherwise it is part of its conversation',
        flag,
        true,
      ),
      inheritParent: about(
        'Whether the session of a thread begins with what its conversation said up to then',
        flag,
        false,
      ),
    } satisfies Shape<NonNullable<Session['threads']>>),
  ),
  agentToAgent: about(
    'Messages between sessions',
    section({
      maxPingPongTurns: about(
        'How many sessions a message may be passed on through (`sessions_send`, `sessions_spawn`) before a person must speak again',
        count(0),
        5,
      ),
    }),
  ),
  sendPolicy: about(
    'Whether replies are sent',
    section({
      default: about('Where no rule decides', z.optional(sendAction), 'allow'),
      rules: about(
        'The first that matches decides',
        z.optional(
          z.array(
            z.strictObject(
              {
                action: about('What it decides. Required', sendAction),
                match: about(
                  'All conditions must hold. Always when absent',
                  section({
                    channel: about('On this channel', someText),
                    chatType: about('In such conversations', oneOf('direct', 'dm', 'group', 'channel')),
                    keyPrefix: about(
                      'The session key begins so, with or without the agent in front',
                      someText,
                    ),
                    rawKeyPrefix: about('The whole session key begins so', someText),
                  }),
                ),
              },
              'must be an object with an action',
            ),
            'must be a list of rules',
          ),
        ),
      ),
    }),
  ),
} satisfies Shape<Session>);

const peer = z.strictObject(
  {
    kind: about(
      '`group` and `channel` mean the same',
      z.enum(['dm', 'direct', 'group', 'channel'], 'must be one of direct, group, channel'),
    ),
    id: about('Its id on the network', id),
  },
  'must be an object with kind and id',
);

export const binding = z.strictObject(
  {
    agentId: about('The agent that gets the message. Required', text),
    match: about(
      'All conditions must hold',
      z.strictObject(
        {
          channel: about('Messages of this channel, such as `telegram`. Required', text),
          accountId: about('Messages to this account of yours; `*` for all accounts', someText, 'default'),
          peer: about('One person or group', z.optional(peer)),
          group: about('Short for a peer of kind group', z.optional(id)),
          guildId: about('A server of Discord', z.optional(id)),
          teamId: about('A workspace of Slack', z.optional(id)),
          roles: about('With `guildId`: senders who have one of these roles', texts),
        } satisfies Shape<Binding['match']>,
        'must be an object with a channel',
      ),
    ),
  } satisfies Shape<Binding>,
  'must be an object with agentId and match',
);
