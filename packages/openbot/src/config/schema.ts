/** What `openbot.json` may contain. Loaded where there is such a file. Messages never contain a value: it may be a secret. */
import * as z from 'zod/mini';
import type { PermissionSettings } from '../permissions/contract.ts';
import { isRule } from '../permissions/rules.ts';
import {
  type AgentSettings,
  type Binding,
  type BotConfig,
  type ChannelSettings,
  CLAUDE_PERMISSION_MODES,
  type ClaudeSettings,
  type CodingSettings,
  type ExecSettings,
  type HeartbeatSettings,
  type ModelSettings,
  type ProviderSettings,
  type SubagentSettings,
  THINKING_LEVELS,
} from './bot-config.ts';
import { parseDuration, parseTimeOfDay } from './duration.ts';

// A file is checked once, so compiling a checker for it takes longer than it saves.
z.config({ jitless: true });

/** A setting that the interface has and the schema does not, or the reverse, does not compile. */
type Shape<T> = Readonly<Record<keyof T, z.ZodMiniType>>;

type Defaults = NonNullable<NonNullable<BotConfig['agents']>['defaults']>;
type Entry = NonNullable<NonNullable<BotConfig['agents']>['list']>[number];
type Session = NonNullable<BotConfig['session']>;
type Messages = NonNullable<BotConfig['messages']>;
type Queue = NonNullable<Messages['queue']>;

const text = z
  .string('must be text')
  .check(z.refine((value) => value.trim() !== '', { error: 'must not be empty' }));
const someText = z.optional(text);
const texts = z.optional(z.array(text, 'must be a list of texts'));
const flag = z.optional(z.boolean('must be true or false'));
const id = z.union([z.string(), z.number()], 'must be text or a number');

function count(least: number) {
  const mustBe = `must be a whole number, ${least} or more`;
  return z.optional(
    z.number(mustBe).check(z.refine((n) => Number.isInteger(n) && n >= least, { error: mustBe })),
  );
}

function oneOf(...values: readonly string[]) {
  return z.optional(z.enum(values as [string, ...string[]], `must be one of ${values.join(', ')}`));
}

function section<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.optional(z.looseObject(shape, 'must be an object'));
}

function byName<S extends z.ZodMiniType>(value: S) {
  return z.optional(z.record(z.string(), value, 'must be an object'));
}

const mostSeconds = 'must be a number of seconds above 0';
const seconds = z.optional(
  z.number(mostSeconds).check(z.refine((value) => value > 0, { error: mostSeconds })),
);

const exec = section({
  host: oneOf('auto', 'gateway', 'sandbox', 'node'),
  security: oneOf('deny', 'allowlist', 'full'),
  ask: oneOf('off', 'on-miss', 'always'),
  allowlist: texts,
  timeoutSec: seconds,
  passEnv: texts,
} satisfies Shape<ExecSettings>);

const rules = z.optional(
  z.array(
    text.check(z.refine(isRule, { error: 'must be a rule such as Read or Bash(git status)' })),
    'must be a list of rules such as Read or Bash(git status)',
  ),
);

const permissions = section({
  allow: rules,
  deny: rules,
  ask: oneOf('on-miss', 'always', 'off'),
  timeoutSeconds: seconds,
} satisfies Shape<PermissionSettings>);

const allowedTools = z.looseObject(
  {
    allow: texts,
    exec,
    // The tools of a model are not known here, so that a list of exceptions could not be kept.
    deny: z.optional(z.never('is not known here: name the tools that are allowed, in allow')),
  },
  'must be a list of names, or an object with allow',
);

const subagents = section({
  maxSpawnDepth: count(0),
  maxChildrenPerAgent: count(1),
  model: someText,
  thinking: oneOf(...THINKING_LEVELS),
  runTimeoutSeconds: seconds,
} satisfies Shape<SubagentSettings>);

const amount = 'must be an amount of US dollars above 0';
const share = 'must be a number from 0 to 1';

const claudeCode = section({
  repos: texts,
  sessionSelection: section({
    relevanceModel: someText,
    relevanceMaxTokens: count(1),
    relevanceTimeoutMs: count(1),
    resumeThreshold: z.optional(
      z.number(share).check(z.refine((value) => value >= 0 && value <= 1, { error: share })),
    ),
    enabled: flag,
  } satisfies Shape<NonNullable<CodingSettings['sessionSelection']>>),
  model: someText,
  maxBudgetUsd: z.optional(z.number(amount).check(z.refine((usd) => usd > 0, { error: amount }))),
  allowedTools: texts,
  permissionMode: oneOf('default', 'acceptEdits', 'plan', 'dontAsk', 'auto'),
  isolated: flag,
  progressMinutes: count(0),
  idleMinutes: count(0),
} satisfies Shape<CodingSettings>);

const timeOfDay = z.optional(
  text.check(
    z.refine((value) => parseTimeOfDay(value) !== undefined, { error: 'must be a time such as 08:30' }),
  ),
);

const activeHours = z.optional(
  z
    .looseObject(
      {
        start: timeOfDay,
        end: timeOfDay,
        timezone: z.optional(
          text.check(
            z.refine((name) => name === 'user' || name === 'local' || isTimeZone(name), {
              error: 'must be user, local or the name of a time zone, such as Europe/Berlin',
            }),
          ),
        ),
      } satisfies Shape<NonNullable<HeartbeatSettings['activeHours']>>,
      'must be an object with start and end',
    )
    .check(
      z.refine(({ start = '00:00', end = '24:00' }) => start !== end, {
        error: 'must have an end that is not its start',
      }),
    ),
);

const heartbeat = section({
  every: z.optional(
    text.check(
      z.refine((value) => parseDuration(value) !== undefined, {
        error: 'must be a length of time such as 30m or 1h',
      }),
    ),
  ),
  activeHours,
  prompt: someText,
  target: someText,
  to: someText,
  accountId: someText,
  model: someText,
  ackMaxChars: count(0),
} satisfies Shape<HeartbeatSettings>);

const settings = {
  workspace: someText,
  model: z.optional(
    z.union(
      [text, z.looseObject({ primary: someText, fallbacks: texts })],
      'must be text such as provider/model, or an object with primary and fallbacks',
    ),
  ),
  models: byName(
    z.looseObject(
      { alias: someText, contextWindow: count(1) },
      'must be an object, such as { alias: "fast" }',
    ),
  ),
  userTimezone: z.optional(
    text.check(z.refine(isTimeZone, { error: 'must be the name of a time zone, such as Europe/Berlin' })),
  ),
  thinkingDefault: oneOf(...THINKING_LEVELS),
  verboseDefault: oneOf('off', 'on', 'full'),
  reasoningDefault: oneOf('off', 'on', 'stream'),
  timeoutSeconds: seconds,
  maxConcurrent: count(1),
  contextTokens: count(1),
  skills: texts,
  tools: z.optional(
    z.union([z.array(text), allowedTools], 'must be a list of names, or an object with allow'),
  ),
  permissions,
  systemPrompt: someText,
  subagents,
  claudeCode,
  heartbeat,
  claude: section({
    tools: z.optional(
      z.union([z.array(text), z.enum(['all', 'none'])], 'must be a list of names, "all" or "none"'),
    ),
    permissionMode: oneOf(...CLAUDE_PERMISSION_MODES),
  } satisfies Shape<ClaudeSettings>),
} satisfies Shape<AgentSettings>;

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

const price = z.optional(z.number('must be a number of dollars'));
const headers = byName(z.string('must be text'));
const address = z.optional(
  text.check(
    z.refine((value) => /^https?:\/\//.test(value), { error: 'must begin with http:// or https://' }),
  ),
);

const model = z.looseObject(
  {
    id: text,
    name: someText,
    api: someText,
    baseUrl: address,
    contextWindow: count(1),
    maxTokens: count(1),
    reasoning: flag,
    input: z.optional(
      z.array(z.enum(['text', 'image'], "must be 'text' or 'image'"), 'must be a list of text and image'),
    ),
    cost: section({ input: price, output: price, cacheRead: price, cacheWrite: price }),
    headers,
  } satisfies Shape<ModelSettings>,
  'must be an object with an id',
);

const provider = z.looseObject(
  {
    baseUrl: address,
    apiKey: someText,
    api: someText,
    headers,
    models: z.optional(z.array(model, 'must be a list of models')),
  } satisfies Shape<ProviderSettings>,
  'must be an object, such as { baseUrl: "http://127.0.0.1:8080/v1", api: "openai-completions" }',
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

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
