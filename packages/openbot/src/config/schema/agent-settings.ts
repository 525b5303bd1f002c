/** The settings of an agent, which are those of all agents too. */
import * as z from 'zod/mini';
import type { PermissionSettings } from '../../permissions/contract.ts';
import { isRule } from '../../permissions/rules.ts';
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

export const claudeCode = section({
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

export const settings = {
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
