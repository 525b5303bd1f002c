/** The settings of an agent, which are those of all agents too. */
import * as z from 'zod/mini';
import type { PermissionSettings } from '../../permissions/contract.ts';
import { isRule } from '../../permissions/rules.ts';
import { RUNNER_NAMES } from '../../runner-kinds.ts';
import {
  type AgentSettings,
  CLAUDE_PERMISSION_MODES,
  type ClaudeSettings,
  type CodingSettings,
  type ExecSettings,
  type HeartbeatSettings,
  type SubagentSettings,
  THINKING_LEVELS,
} from '../bot-config.ts';
import { parseDuration, parseTimeOfDay } from '../duration.ts';
import {
  about,
  byName,
  count,
  flag,
  isTimeZone,
  oneOf,
  type Shape,
  seconds,
  section,
  someText,
  text,
  texts,
} from './values.ts';

export const exec = section({
  host: about(
    'Where commands run: `auto`, `gateway` are this machine. With `sandbox` or `node`, which OpenBot does not have, no command runs',
    oneOf('auto', 'gateway', 'sandbox', 'node'),
    'auto',
  ),
  security: about(
    'Which commands run: none, those of `allowlist`, all',
    oneOf('deny', 'allowlist', 'full'),
    'deny',
  ),
  ask: about(
    '`off`: what is not in the list is refused; `on-miss`: it is asked, unless a rule of `permissions` allows it; `always`: every command is asked',
    oneOf('off', 'on-miss', 'always'),
    'on-miss',
  ),
  allowlist: about('Commands and patterns as in rules: `git status`, `git log:*`, `ls *`', texts),
  timeoutSec: about('A command that takes longer is ended', seconds, 300),
  passEnv: about(
    'Names of variables that commands get beside `PATH`, `HOME`, `USER`, `LOGNAME`, `SHELL`, `LANG`, `LANGUAGE`, `LC_*`, `TMPDIR`, `TZ`',
    texts,
  ),
} satisfies Shape<ExecSettings>);

const rules = z.optional(
  z.array(
    text.check(z.refine(isRule, { error: 'must be a rule such as Read or Bash(git status)' })),
    'must be a list of rules such as Read or Bash(git status)',
  ),
);

const permissions = section({
  allow: about('Rules of what is allowed without a question', rules),
  deny: about(
    "Rules of what is never allowed, also for OpenBot's own tools and in coding runs. They win over `allow`, over answers and over what Claude Code allows by itself. They are no wall: [what they are worth](security.md#what-a-deny-rule-is-worth)",
    rules,
  ),
  ask: about(
    '`on-miss` asks about what no rule allows, `always` about everything, `off` denies what no rule allows',
    oneOf('on-miss', 'always', 'off'),
    'on-miss',
  ),
  timeoutSeconds: about('Without an answer within this time it is denied', seconds, 300),
} satisfies Shape<PermissionSettings>);

const allowedTools = z.strictObject(
  {
    allow: about('Names of the tools that the agent may use. All when absent', texts),
    exec: about('As `tools.exec`, for this agent', exec),
    // The tools of a model are not known here, so that a list of exceptions could not be kept.
    deny: z.optional(z.never('is not known here: name the tools that are allowed, in allow')),
  },
  'must be a list of names, or an object with allow',
);

const subagents = section({
  maxSpawnDepth: about('1: sessions that were spawned spawn none', count(0), 1),
  maxChildrenPerAgent: about('Spawned sessions of one session that work at a time', count(1), 5),
  model: about("An alias or `provider/model`, where the tool names none. The agent's when absent", someText),
  thinking: about('How much it thinks, where the tool does not say', oneOf(...THINKING_LEVELS)),
  runTimeoutSeconds: about("Of one task, where the tool names none. The agent's when absent", seconds),
} satisfies Shape<SubagentSettings>);

const amount = 'must be an amount of US dollars above 0';
const share = 'must be a number from 0 to 1';

export const claudeCode = section({
  repos: about(
    'Folders in which runs may work, with all folders below. A link that leads out is refused. Without any, no run can be started',
    texts,
  ),
  sessionSelection: about(
    'How the session of a run is chosen',
    section({
      relevanceModel: about('The model that rates sessions', someText, 'claude-haiku'),
      relevanceMaxTokens: about('Tokens of its answer', count(1), 500),
      relevanceTimeoutMs: about('Without an answer within this time words decide', count(1), 3000),
      resumeThreshold: about(
        'The least score with which a session is continued',
        z.optional(z.number(share).check(z.gte(0, { error: share }), z.lte(1, { error: share }))),
        0.6,
      ),
      enabled: about('Whether a model rates sessions; otherwise words do', flag, true),
    } satisfies Shape<NonNullable<CodingSettings['sessionSelection']>>),
  ),
  model: about("The model that works on tasks. Claude Code's when absent", someText),
  maxBudgetUsd: about(
    'The budget of a session over all its runs, where the tool names none',
    z.optional(z.number(amount).check(z.gt(0, { error: amount }))),
  ),
  allowedTools: about('Rules for what needs no permission, such as `Read`, `Bash(git status:*)`', texts),
  permissionMode: about(
    'Which uses of tools need no permission',
    oneOf('default', 'acceptEdits', 'plan', 'dontAsk', 'auto'),
    'default',
  ),
  isolated: about(
    '`true` ignores CLAUDE.md, settings, hooks and servers of the user and the repository',
    flag,
    false,
  ),
  progressMinutes: about('How often a long run says that it works; 0 for never', count(0), 10),
  idleMinutes: about('How long a run stays open for follow-ups', count(0), 30),
} satisfies Shape<CodingSettings>);

const timeOfDay = z.optional(
  text.check(
    z.refine((value) => parseTimeOfDay(value) !== undefined, { error: 'must be a time such as 08:30' }),
  ),
);

const activeHours = z.optional(
  z
    .strictObject(
      {
        start: about('Such as `08:00`. A start behind the end means over midnight', timeOfDay, '00:00'),
        end: about('`24:00` is the end of the day', timeOfDay, '24:00'),
        timezone: about(
          "`user` (the agent's), `local` (the machine's) or an IANA name",
          z.optional(
            text.check(
              z.refine((name) => name === 'user' || name === 'local' || isTimeZone(name), {
                error: 'must be user, local or the name of a time zone, such as Europe/Berlin',
              }),
            ),
          ),
          'user',
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
  every: about(
    '`30m`, `1h30m`, `90s`; a number alone is minutes; `0m` for none. `30m` means at every full and half hour (UTC)',
    z.optional(
      text.check(
        z.refine((value) => parseDuration(value) !== undefined, {
          error: 'must be a length of time such as 30m or 1h',
        }),
      ),
    ),
    '30m',
  ),
  activeHours: about('When there are heartbeats. At all times when absent', activeHours),
  prompt: about('What the agent is asked. To work through HEARTBEAT.md when absent', someText),
  target: about(
    'Where alerts go: `last`, the place of the last message of the session; `none`; or a channel',
    someText,
    'last',
  ),
  to: about('Recipient there. The last one when absent', someText),
  accountId: about('Account there. The last one when absent', someText),
  model: about("For heartbeats alone; it does not give way to others. The session's when absent", someText),
  ackMaxChars: about(
    'An answer with `HEARTBEAT_OK` at its beginning or end is not sent if it has at most so many other characters',
    count(0),
    300,
  ),
} satisfies Shape<HeartbeatSettings>);

type Compaction = NonNullable<AgentSettings['compaction']>;

const compaction = section({
  reserveTokensFloor: about(
    'Tokens of the window that are free when a conversation is compacted. At most a fifth of the window when absent, and fewer where prompt and tools leave less than 8,000 tokens for the conversation; Claude Code keeps at least 33,000 free',
    count(0),
    20_000,
  ),
  memoryFlush: about(
    'The agent saves what matters before its conversation is compacted',
    section({
      enabled: about('Whether the agent saves what matters before its conversation is compacted', flag, true),
      softThresholdTokens: about(
        'The memory flush is due this many tokens before the compaction. At most a tenth of what is before it when absent',
        count(0),
        4000,
      ),
      inGroups: about('Whether it does so in groups too', flag, true),
      inReadOnly: about('Whether it does so where the agent cannot write to its workspace', flag, false),
      prompt: about('What the agent is asked then, in the place of the built-in text', someText),
      systemPrompt: about(
        'What the agent is told of its situation then, before what it is asked, in the place of the built-in text',
        someText,
      ),
    } satisfies Shape<NonNullable<Compaction['memoryFlush']>>),
  ),
} satisfies Shape<Compaction>);

const models = byName(
  z.strictObject(
    {
      alias: about('A short name for it', someText),
      contextWindow: about('Its window in tokens', count(1)),
    },
    'must be an object, such as { alias: "fast" }',
  ),
);

export const settings = {
  workspace: about(
    'The folder in which the tools of the agent can read and write. `workspace` in the state folder for the default agent, `workspace-<id>` for others when absent',
    someText,
  ),
  model: about(
    '`provider/model` or an alias; or `{ primary, fallbacks: [] }`: those that take over where it fails',
    z.optional(
      z.union(
        [
          text,
          z.strictObject({
            primary: about('`provider/model`, or an alias', someText, 'script/echo'),
            fallbacks: about('Models that take over, in their order', texts),
          }),
        ],
        'must be text such as provider/model, or an object with primary and fallbacks',
      ),
    ),
    'script/echo',
  ),
  runner: about(
    'The program that runs models which more than one can run: with `claude` Claude Code runs `anthropic/…` too. Other models, and all when absent, are run by the program of their provider',
    oneOf(...RUNNER_NAMES),
  ),
  models: about('Models by `provider/model`', models),
  userTimezone: about(
    'IANA name of the time zone in which the agent reads dates. That of the machine when absent',
    z.optional(
      text.check(z.refine(isTimeZone, { error: 'must be the name of a time zone, such as Europe/Berlin' })),
    ),
  ),
  thinkingDefault: about("How much the model thinks. The model's when absent", oneOf(...THINKING_LEVELS)),
  verboseDefault: about('Whether people are shown tool calls', oneOf('off', 'on', 'full'), 'off'),
  reasoningDefault: about(
    "Whether people are shown the model's thinking. `stream` is as `on` yet",
    oneOf('off', 'on', 'stream'),
    'off',
  ),
  timeoutSeconds: about('A run that takes longer is aborted', seconds, 600),
  maxConcurrent: about('Runs of one agent at a time. No limit but that of all agents when absent', count(1)),
  contextTokens: about(
    "Tokens of the model's window, where it should be smaller or the model does not say",
    count(1),
  ),
  skills: about('Names of the skills that the agent may use. All when absent', texts),
  tools: about(
    'Names of the tools that the agent may use: a list, or `{ allow: [] }`. `deny` is refused. All when absent',
    z.optional(z.union([z.array(text), allowedTools], 'must be a list of names, or an object with allow')),
  ),
  permissions: about('What the agent may do without a question', permissions),
  systemPrompt: about('Text in front of the system prompt', someText),
  subagents: about('For `sessions_spawn`', subagents),
  claudeCode: about(
    'For this agent in the place of the same settings of `claudeCode`; those of `sessionSelection` one by one',
    claudeCode,
  ),
  heartbeat: about('Turns without a message of a person. None when absent', heartbeat),
  compaction: about('What happens before a long conversation is compacted', compaction),
  claude: about(
    "Claude Code's own tools, where a Claude model answers",
    section({
      tools: about(
        "Which of them are offered beside the agent's own: a list of names, `all`, `none`. In a session that has begun, more of them count after a compaction or reset, fewer at once",
        z.optional(
          z.union([z.array(text), z.enum(['all', 'none'])], 'must be a list of names, "all" or "none"'),
        ),
        'none',
      ),
      permissionMode: about(
        'In `default` only reading in the workspace needs no permission; another use is asked for, and denied where no one can be asked',
        oneOf(...CLAUDE_PERMISSION_MODES),
        'default',
      ),
    } satisfies Shape<ClaudeSettings>),
  ),
} satisfies Shape<AgentSettings>;
