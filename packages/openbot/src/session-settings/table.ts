import { parseSessionLabel, redactSecrets } from '@openbot/sessions';
import { normalizeSendPolicy } from '@openbot/sessions/policy';
import { THINKING_LEVELS } from '../config/bot-config.ts';
import { makeChoice } from './choice-setting.ts';
import type { SessionSetting } from './contract.ts';
import { MODEL_SETTING } from './model-setting.ts';
import { QUEUE_SETTING } from './queue-setting.ts';

const THINK = makeChoice({
  name: 'think',
  summary: 'How hard the model thinks',
  values: THINKING_LEVELS,
  aliases: { on: 'low', min: 'minimal', mid: 'medium', med: 'medium', 'x-high': 'xhigh' },
  fields: ['thinkingLevel'],
  canBeInside: true,
  toPatch: (thinkingLevel) => ({ thinkingLevel }),
  show: ({ entry, agent }) => entry?.thinkingLevel ?? agent.thinkingDefault ?? 'as the model does by itself',
});

const REASONING = makeChoice({
  name: 'reasoning',
  summary: "Whether the model's thinking is shown before the reply",
  values: ['off', 'on', 'stream'],
  fields: ['reasoningLevel'],
  canBeInside: true,
  toPatch: (reasoningLevel) => ({ reasoningLevel }),
  show: ({ entry, agent }) => entry?.reasoningLevel ?? agent.reasoningDefault ?? 'off',
});

const VERBOSE = makeChoice({
  name: 'verbose',
  summary: 'Whether tool calls are shown; full also shows their results',
  values: ['off', 'on', 'full'],
  fields: ['verboseLevel'],
  canBeInside: true,
  toPatch: (verboseLevel) => ({ verboseLevel }),
  show: ({ entry, agent }) => entry?.verboseLevel ?? agent.verboseDefault ?? 'off',
});

const USAGE = makeChoice({
  name: 'usage',
  summary: 'A line about tokens under each reply',
  values: ['off', 'tokens', 'full'],
  aliases: { on: 'tokens' },
  fields: ['responseUsage'],
  toPatch: (value) => ({ responseUsage: value as 'off' | 'tokens' | 'full' }),
  show: ({ entry }) => (entry?.responseUsage === 'on' ? 'tokens' : (entry?.responseUsage ?? 'off')),
});

const ACTIVATION = makeChoice({
  name: 'activation',
  summary: 'Whether every message of a group gets a turn, or only those that mention the agent',
  values: ['mention', 'always'],
  fields: ['groupActivation'],
  refuse: ({ isGroup }) =>
    isGroup ? undefined : 'Only a group has an activation: a direct message always gets an answer.',
  // The agent was told the old rule.
  toPatch: (value) => ({
    groupActivation: value as 'mention' | 'always',
    groupActivationNeedsSystemIntro: true,
  }),
  show: ({ entry }) => entry?.groupActivation ?? 'as configured for the group',
});

const SEND = makeChoice({
  name: 'send',
  summary: 'Whether replies are sent; with off they are only kept in the transcript',
  values: ['on', 'off'],
  aliases: { allow: 'on', deny: 'off' },
  fields: ['sendPolicy'],
  toPatch: (value) => ({ sendPolicy: value === 'on' ? 'allow' : 'deny' }),
  show: ({ entry }) => {
    const own = normalizeSendPolicy(entry?.sendPolicy);
    return own === undefined ? 'as configured' : own === 'allow' ? 'on' : 'off';
  },
});

const LABEL: SessionSetting = {
  name: 'label',
  summary: 'The name of the session in lists; it can be used in the place of its key',
  values: 'text',
  fields: ['label'],
  unsetBy: ['none'],
  read: async (text, place) => {
    const parsed = parseSessionLabel(text);
    if (!parsed.ok) return { isRead: false, problem: `${parsed.error}.` };
    const label = redactSecrets(parsed.label);
    if (await place.isLabelUsed(label))
      return { isRead: false, problem: `Another session has the label ${JSON.stringify(label)}.` };
    return { isRead: true, patch: { label } };
  },
  show: ({ entry }) => entry?.label ?? 'none',
};

/** All that people set for a session, in the order in which it is shown. */
export const SESSION_SETTINGS: readonly SessionSetting[] = [
  MODEL_SETTING,
  THINK,
  REASONING,
  VERBOSE,
  USAGE,
  QUEUE_SETTING,
  ACTIVATION,
  SEND,
  LABEL,
];

export function findSetting(name: string): SessionSetting | undefined {
  return SESSION_SETTINGS.find((setting) => setting.name === name.trim().toLowerCase());
}
