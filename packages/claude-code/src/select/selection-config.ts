import { OpenBotError } from '@openbot/sessions';
import { oneLine, shorten } from '@openbot/sessions/terminal-text';
import { LONGEST_TIMER_MS } from '../project-status/time-limit.ts';
import { DEFAULT_SELECTION, type SelectionSettings, type SessionSelectionConfig } from './selection.ts';

type Key = keyof SessionSelectionConfig;

const RULES: Readonly<Record<Key, { readonly wants: string; fits(value: unknown): boolean }>> = {
  relevanceModel: {
    wants: 'the name of a model',
    fits: (value) => typeof value === 'string' && value.trim() !== '',
  },
  relevanceMaxTokens: { wants: 'a whole number above 0', fits: (value) => isWhole(value) && value > 0 },
  relevanceTimeoutMs: {
    wants: 'a whole number of milliseconds above 0',
    fits: (value) => isWhole(value) && value > 0 && value <= LONGEST_TIMER_MS,
  },
  resumeThreshold: {
    wants: 'a number from 0 to 1',
    fits: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  },
  enabled: { wants: 'true or false', fits: (value) => typeof value === 'boolean' },
};

/**
 * The defaults, overridden by the settings for all agents, overridden by those for this agent.
 * @throws OpenBotError SELECTION_CONFIG_INVALID for an invalid value or an unknown setting
 */
export function resolveSelectionConfig(
  forAll: SelectionSettings = {},
  forAgent: SelectionSettings = {},
): SessionSelectionConfig {
  return { ...DEFAULT_SELECTION, ...checkSettings(forAll), ...checkSettings(forAgent) };
}

function checkSettings(settings: SelectionSettings): Partial<SessionSelectionConfig> {
  const [unknown] = Object.entries(settings).find(
    ([key, value]) => value !== undefined && !Object.hasOwn(RULES, key),
  ) ?? [undefined];
  if (unknown !== undefined) {
    throw new OpenBotError(
      'SELECTION_CONFIG_INVALID',
      `sessionSelection.${shorten(oneLine(unknown), 80)} is not a setting`,
      { hint: `Settings: ${Object.keys(RULES).join(', ')}.` },
    );
  }
  const set = (Object.keys(RULES) as Key[]).filter((key) => settings[key] !== undefined);
  for (const key of set) {
    const { wants, fits } = RULES[key];
    if (fits(settings[key])) continue;
    const given = JSON.stringify(settings[key]) ?? typeof settings[key];
    throw new OpenBotError(
      'SELECTION_CONFIG_INVALID',
      `sessionSelection.${key} is ${given.slice(0, 80)}, not ${wants}`,
      { hint: `Give ${wants}, or leave it out for ${JSON.stringify(DEFAULT_SELECTION[key])}.` },
    );
  }
  return Object.fromEntries(set.map((key) => [key, settings[key]]));
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
