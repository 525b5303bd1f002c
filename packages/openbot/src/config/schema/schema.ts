/** What `openbot.json` may contain. Loaded where there is such a file. */
import * as z from 'zod/mini';
import type { Binding, BotConfig, ChannelSettings } from '../bot-config.ts';
import { claudeCode, exec, settings } from './agent-settings.ts';
import { provider } from './providers.ts';
import { byName, count, flag, id, oneOf, type Shape, section, someText, text, texts } from './values.ts';

type Defaults = NonNullable<NonNullable<BotConfig['agents']>['defaults']>;
type Entry = NonNullable<NonNullable<BotConfig['agents']>['list']>[number];
type Session = NonNullable<BotConfig['session']>;
type Messages = NonNullable<BotConfig['messages']>;
type Queue = NonNullable<Messages['queue']>;

type Compaction = NonNullable<Defaults['compaction']>;

const memoryFlush = section({
  enabled: flag,
  softThresholdTokens: count(0),
  inGroups: flag,
  inReadOnly: flag,
  prompt: someText,
  systemPrompt: someText,
} satisfies Shape<NonNullable<Compaction['memoryFlush']>>);

const agents = section({
  defaults: section({
    ...settings,
    compaction: section({ reserveTokensFloor: count(0), memoryFlush } satisfies Shape<Compaction>),
  } satisfies Shape<Defaults>),
  list: z.optional(
    z.array(
      z.looseObject(
        { ...settings, id: text, default: flag, name: someText } satisfies Shape<Entry>,
        'must be an object with an id',
      ),
      'must be a list of agents',
    ),
  ),
  entries: byName(z.looseObject({ ...settings, name: someText }, 'must be an object')),
  maxConcurrentRuns: count(1),
} satisfies Shape<NonNullable<BotConfig['agents']>>);

const reset = section({
  mode: oneOf('daily', 'idle', 'manual'),
  atHour: z.optional(
    z.number('must be an hour from 0 to 23').check(
      z.refine((hour) => Number.isInteger(hour) && hour >= 0 && hour <= 23, {
        error: 'must be an hour from 0 to 23',
      }),
    ),
  ),
  idleMinutes: count(1),
} satisfies Shape<NonNullable<Session['reset']>>);

const sendAction = z.enum(['allow', 'deny'], "must be 'allow' or 'deny'");

const session = section({
  scope: oneOf('per-sender', 'global'),
  dmScope: oneOf('main', 'per-peer', 'per-channel-peer', 'per-account-channel-peer'),
  identityLinks: byName(z.array(id, 'must be a list of ids')),
  mainKey: someText,
  store: someText,
  reset,
  resetByType: section({ direct: reset, dm: reset, group: reset, thread: reset }),
  resetByChannel: byName(reset),
  resetTriggers: texts,
  idleMinutes: count(1),
  agentToAgent: section({ maxPingPongTurns: count(0) }),
  sendPolicy: section({
    default: z.optional(sendAction),
    rules: z.optional(
      z.array(
        z.looseObject(
          {
            action: sendAction,
            match: section({
              channel: someText,
              chatType: oneOf('direct', 'dm', 'group', 'channel'),
              keyPrefix: someText,
              rawKeyPrefix: someText,
            }),
          },
          'must be an object with an action',
        ),
        'must be a list of rules',
      ),
    ),
  }),
} satisfies Shape<Session>);

const peer = z.looseObject(
  {
    kind: z.enum(['dm', 'direct', 'group', 'channel'], 'must be one of direct, group, channel'),
    id,
  },
  'must be an object with kind and id',
);

const binding = z.looseObject(
  {
    agentId: text,
    match: z.looseObject(
      {
        channel: text,
        accountId: someText,
        peer: z.optional(peer),
        group: z.optional(id),
        guildId: z.optional(id),
        teamId: z.optional(id),
        roles: texts,
      } satisfies Shape<Binding['match']>,
      'must be an object with a channel',
    ),
  } satisfies Shape<Binding>,
  'must be an object with agentId and match',
);

const queueModes = ['steer', 'followup', 'collect', 'steer-backlog', 'interrupt', 'queue', 'steer+backlog'];

export const botConfigSchema = z.looseObject(
  {
    agents,
    bindings: z.optional(z.array(binding, 'must be a list of bindings')),
    session,
    channels: byName(
      z.looseObject(
        {
          allowFrom: z.optional(z.array(id, 'must be a list of ids')),
          groups: byName(z.looseObject({ requireMention: flag }, 'must be an object')),
          replyToMode: oneOf('off', 'first', 'all'),
        } satisfies Shape<ChannelSettings>,
        'must be an object',
      ),
    ),
    messages: section({
      queue: section({
        mode: oneOf(...queueModes),
        byChannel: byName(
          z.enum(queueModes as [string, ...string[]], `must be one of ${queueModes.join(', ')}`),
        ),
        debounceMs: count(0),
        debounceMsByChannel: byName(count(0)),
        cap: count(1),
        drop: oneOf('old', 'new', 'summarize'),
      } satisfies Shape<Queue>),
      groupChat: section({ historyLimit: count(0), mentionPatterns: texts }),
      responsePrefix: z.optional(z.string('must be text')),
    } satisfies Shape<Messages>),
    tools: section({ exec, sessions: section({ visibility: oneOf('self', 'tree', 'agent') }) }),
    claudeCode,
    skills: section({ load: section({ extraDirs: texts }), allowBundled: texts }),
    models: section({ providers: byName(provider) }),
  } satisfies Shape<BotConfig>,
  'must be an object',
);
