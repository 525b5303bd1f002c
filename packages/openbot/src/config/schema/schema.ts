/** What `openbot.json` may contain: the one source of its checks, its documentation and its JSON schema. Loaded where there is such a file. */
import * as z from 'zod/mini';
import {
  type BotConfig,
  type ChannelAccountSettings,
  type ChannelSettings,
  DM_POLICIES,
  GROUP_POLICIES,
  type GroupSettings,
  type TopicSettings,
} from '../bot-config.ts';
import { claudeCode, exec, settings } from './agent-settings.ts';
import { gateway } from './gateway-settings.ts';
import { embedding, provider } from './providers.ts';
import { binding, session } from './session-settings.ts';
import {
  about,
  byName,
  count,
  flag,
  id,
  oneOf,
  positive,
  type Shape,
  section,
  someText,
  text,
  texts,
  wholeNumber,
} from './values.ts';

type Agents = NonNullable<BotConfig['agents']>;
type Messages = NonNullable<BotConfig['messages']>;

const agents = section({
  defaults: about(
    'Settings of all agents',
    section({
      ...settings,
      mediaMaxMb: about('The largest file of a message, in or out, in MB', positive('of MB'), 20),
    } satisfies Shape<NonNullable<Agents['defaults']>>),
  ),
  list: about(
    'The agents. Each has any of the settings of `agents.defaults`, which win over them',
    z.optional(
      z.array(
        z.strictObject(
          {
            ...settings,
            id: about('A plain name: letters, digits, - and _. Required', text),
            default: about(
              'The agent that answers where none is named. The first of the list when no one is marked',
              flag,
            ),
            name: about('What it is called', someText),
          } satisfies Shape<NonNullable<Agents['list']>[number]>,
          'must be an object with an id',
        ),
        'must be a list of agents',
      ),
    ),
  ),
  entries: about(
    "OpenClaw's newer form of the list: agents by id. `list` wins over it",
    byName(z.strictObject({ ...settings, name: about('What it is called', someText) }, 'must be an object')),
  ),
  maxConcurrentRuns: about('Runs of all agents together', count(1), 4),
} satisfies Shape<Agents>);

const STREAMING = ['off', 'partial', 'block', 'progress'] as const;

const ids = z.optional(z.array(id, 'must be a list of ids'));

const ofTopic = {
  enabled: about('`false`: nobody is heard there', flag, true),
  requireMention: about(
    '`false` gives the agent every message; otherwise it is given those that mention it or answer it',
    flag,
    true,
  ),
  groupPolicy: about('Who may talk there, in the place of `groupPolicy`', oneOf(...GROUP_POLICIES)),
  allowFrom: about('Ids of the only people who may talk there; `*` for everybody', ids),
} satisfies Shape<TopicSettings>;

const ofGroup = {
  ...ofTopic,
  topics: about(
    'By the id of a topic, `*` for all others; each setting in the place of that of the group',
    byName(z.strictObject(ofTopic, 'must be an object')),
  ),
} satisfies Shape<GroupSettings>;

const ofAccount = {
  enabled: about('Whether it is opened', flag, true),
  name: about('What people call it', someText),
  dmPolicy: about(
    'Who may write direct messages: `pairing` (people in `allowFrom`, and those whom you approve with `openbot pairing approve`), `allowlist` (people in `allowFrom`), `open` (everybody), `disabled` (nobody)',
    oneOf(...DM_POLICIES),
    'pairing',
  ),
  allowFrom: about(
    'Ids of the people who may talk and give commands, such as `777`, `telegram:777` or `+41791234567`. `*` for everybody; names do not count',
    ids,
  ),
  groupPolicy: about(
    'Who may talk in groups: `allowlist` (people in `groupAllowFrom`, in the groups of `groups`), `open` (everybody, in the groups of `groups` or in all where there is no such setting), `disabled` (nobody)',
    oneOf(...GROUP_POLICIES),
    'allowlist',
  ),
  groupAllowFrom: about(
    'Ids of the people who may talk in groups; `*` for everybody. `allowFrom` when absent',
    ids,
  ),
  groups: about(
    'The groups that are heard, by id; `*` for all others. The id of a server stands for all of its channels',
    byName(z.strictObject(ofGroup, 'must be an object')),
  ),
  rateLimit: about(
    'Messages of one person in a minute; what is more is dropped. `0` for no limit. It does not hold for owners',
    count(0),
    20,
  ),
  replyToMode: about(
    'Which replies are shown as an answer to the message: none, the first of a turn, all. What the model asks for itself counts always',
    oneOf('off', 'first', 'all'),
    'off',
  ),
  streaming: about(
    'What people see while the agent writes: `off`, whole replies; `partial`, a message that is edited as the text grows, where the network can edit; `block`, each paragraph when it is done. In the form of OpenClaw also `{ mode }`; its `progress` is as `off`',
    z.optional(
      z.union(
        [
          z.enum(STREAMING),
          z.boolean(),
          z.looseObject({ mode: about('The same', z.optional(z.enum(STREAMING)), 'off') }),
        ],
        `must be one of ${STREAMING.join(', ')}`,
      ),
    ),
    'off',
  ),
  ackReaction: about('In the place of `messages.ackReaction`', z.optional(z.string('must be text'))),
} satisfies Shape<ChannelAccountSettings>;

const channel = withOthers({
  ...ofAccount,
  accounts: about(
    'By the id of an account of yours, for that account in the place of the settings of the channel',
    byName(withOthers(ofAccount)),
  ),
} satisfies Shape<ChannelSettings>);

/** Networks have settings of their own, which their drivers check. A shared one in other letters is a mistake all the same. */
function withOthers<S extends z.core.$ZodLooseShape>(shape: S) {
  const names = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]));
  return z.looseObject(shape, 'must be an object').check((payload) => {
    const keys = Object.keys(payload.value).filter(
      (key) => !Object.hasOwn(shape, key) && names.has(key.toLowerCase()),
    );
    if (keys.length > 0) payload.issues.push({ code: 'unrecognized_keys', keys, input: payload.value });
  });
}

const queueModes = [
  'steer',
  'followup',
  'collect',
  'steer-backlog',
  'interrupt',
  'queue',
  'steer+backlog',
] as const;

const messages = section({
  queue: about(
    'Messages that arrive during a run',
    section({
      mode: about('What happens to a message that arrives during a run', oneOf(...queueModes), 'collect'),
      byChannel: about(
        'The same by channel',
        byName(z.enum(queueModes, `must be one of ${queueModes.join(', ')}`)),
      ),
      debounceMs: about('How long to wait for further messages', count(0), 1000),
      debounceMsByChannel: about('The same by channel', byName(wholeNumber(0))),
      cap: about('Messages of one conversation that may wait', count(1), 20),
      drop: about('What gives way in a full queue', oneOf('old', 'new', 'summarize'), 'summarize'),
      holdHours: about(
        'How long messages of chat networks wait for a model that cannot be reached; 0: they fail at once',
        count(0),
        12,
      ),
    } satisfies Shape<NonNullable<Messages['queue']>>),
  ),
  groupChat: about(
    'Groups',
    section({
      historyLimit: about('Messages of a group that the agent is given as context', count(0), 50),
      mentionPatterns: about(
        'Regular expressions that count as a mention of the agent, besides `@` with its username. One that is invalid, that matches an empty text or that repeats a group with a repetition in it (`(a+)+`) is not used',
        texts,
      ),
    }),
  ),
  ackReaction: about(
    'A reaction that shows that a message was taken, such as `👀`, where the network has them. None when absent or empty',
    z.optional(z.string('must be text')),
  ),
  ackReactionScope: about(
    'Which messages get it: mentions in groups, all of groups, direct ones, all, none (`off` or `none`)',
    oneOf('group-mentions', 'group-all', 'direct', 'all', 'off', 'none'),
    'group-mentions',
  ),
  removeAckAfterReply: about('Whether it is taken away after the reply', flag, false),
  responsePrefix: about(
    'Text in front of every reply; `{model}`, `{provider}`, `{modelFull}` and `{thinkingLevel}` are filled in',
    z.optional(z.string('must be text')),
  ),
} satisfies Shape<Messages>);

export const botConfigSchema = z.strictObject(
  {
    agents: about('Who answers', agents),
    bindings: about(
      'Which agent gets a message: the most specific one that matches, of equal ones the first. Without a match the default agent',
      z.optional(z.array(binding, 'must be a list of bindings')),
    ),
    session: about('Which messages share a session, and how long it lasts', session),
    channels: about('Chat networks by name, such as `telegram`', byName(channel)),
    messages: about('How messages are taken and answered', messages),
    attachments: about(
      'Files of messages',
      section({
        ttlHours: about(
          'Hours that files which arrive are kept in `media/inbound` of the state folder',
          positive('of hours'),
          720,
        ),
        allowPrivateNetwork: about(
          'Whether files that are sent may be fetched from this machine and from private networks',
          flag,
          false,
        ),
      } satisfies Shape<NonNullable<BotConfig['attachments']>>),
    ),
    tools: about(
      'Tools of all agents',
      section({
        exec: about('The tool `exec`', exec),
        sessions: about(
          'The session tools',
          section({
            visibility: about(
              'Which sessions of its agent a session reaches: `self`, `tree` (also what it spawned), `agent` (all). `agent` for the main session and `tree` for all others when absent',
              oneOf('self', 'tree', 'agent'),
            ),
          }),
        ),
      }),
    ),
    claudeCode: about('Coding runs that a conversation may start', claudeCode),
    skills: about(
      'Skills of all agents',
      section({
        load: about(
          'Where skills are found',
          section({ extraDirs: about('Further folders with skills', texts) }),
        ),
        allowBundled: about('Names of the bundled skills that may be used. All when absent', texts),
      }),
    ),
    models: about(
      'Models that are not known already',
      section({
        providers: about(
          'By name. A provider that is known without it keeps what is not set here',
          byName(provider),
        ),
      }),
    ),
    index: about(
      'The index for search',
      section({
        enabled: about('Whether there is an index', flag, true),
        embedding: about('Where vectors come from. Without it words alone are searched', embedding),
      } satisfies Shape<NonNullable<BotConfig['index']>>),
    ),
    usage: about(
      'Reports of tokens and cost',
      section({
        prices: about(
          'A file with a table of prices that takes the place of the built-in one. A relative path is below the state folder',
          someText,
        ),
      } satisfies Shape<NonNullable<BotConfig['usage']>>),
    ),
    gateway: about('The process that clients connect to', gateway),
    commands: about(
      'Chat commands',
      section({
        ownerAllowFrom: about(
          'Ids of the owners of the bot, such as `telegram:777`: they may give all commands and answer for the agent. Those whom `allowFrom` of the channel names by their ids when absent',
          ids,
        ),
      } satisfies Shape<NonNullable<BotConfig['commands']>>),
    ),
  } satisfies Shape<BotConfig>,
  'must be an object',
);

/** What passes the check is what the program reads: a value of another kind does not compile. */
export function toBotConfig(checked: z.infer<typeof botConfigSchema>): BotConfig {
  return checked;
}
