import { OpenBotError } from '@openbot/sessions';
import { UnknownPresetError } from '../errors.ts';
import type { ResolvedToolRemovalOptions, ToolRemovalOptions, ToolRemovalPreset } from './tool-removal.ts';

export const DEFAULT_PRESET_NAME = 'default';

export const BUILT_IN_PRESETS = {
  default: { name: 'default', keepTurnsWithTools: 20, truncatePercent: 50 },
  aggressive: { name: 'aggressive', keepTurnsWithTools: 10, truncatePercent: 50 },
  extreme: { name: 'extreme', keepTurnsWithTools: 0, truncatePercent: 0 },
} as const satisfies Record<string, ToolRemovalPreset>;

export type CustomPresets = Readonly<Record<string, ToolRemovalPreset>>;

/** All presets by name. A preset of the configuration replaces a built-in one of the same name. */
export function mergePresets(custom: CustomPresets = {}): Map<string, ToolRemovalPreset> {
  return new Map<string, ToolRemovalPreset>([...Object.entries(BUILT_IN_PRESETS), ...Object.entries(custom)]);
}

/** Throws OpenBotError, which names the presets that exist. */
export function resolvePreset(name: string, customPresets?: CustomPresets): ToolRemovalPreset {
  const presets = mergePresets(customPresets);
  const preset = presets.get(name);
  if (preset === undefined) throw new UnknownPresetError(name, [...presets.keys()]);
  return { ...checkRemovalValues(preset), name };
}

/** Given values win over those of the preset, which is `default` if none is named. */
export function resolveToolRemovalOptions(
  options: ToolRemovalOptions,
  customPresets?: CustomPresets,
): ResolvedToolRemovalOptions {
  const preset = resolvePreset(options.preset ?? DEFAULT_PRESET_NAME, customPresets);
  return checkRemovalValues({
    keepTurnsWithTools: options.keepTurnsWithTools ?? preset.keepTurnsWithTools,
    truncatePercent: options.truncatePercent ?? preset.truncatePercent,
    truncateOver: options.truncateOver ?? preset.truncateOver,
  });
}

export const isKeepCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
export const isPercent = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= 100;

/** A shortened value must not exceed it. */
export const isCharacterLimit = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= LEAST_LIMIT;

export const LEAST_LIMIT = 500;

export const LIMIT_MUST_BE = `must be a whole number of at least ${LEAST_LIMIT}`;
export const KEEP_MUST_BE = 'must be a whole number of at least 0';
export const PERCENT_MUST_BE = 'must be a number from 0 to 100';

function checkRemovalValues({
  keepTurnsWithTools,
  truncatePercent,
  truncateOver,
}: ToolRemovalOptions &
  Pick<ResolvedToolRemovalOptions, 'keepTurnsWithTools' | 'truncatePercent'>): ResolvedToolRemovalOptions {
  if (!isKeepCount(keepTurnsWithTools)) {
    throw new OpenBotError('USAGE', `keepTurnsWithTools ${KEEP_MUST_BE}, not ${keepTurnsWithTools}`);
  }
  if (!isPercent(truncatePercent)) {
    throw new OpenBotError('USAGE', `truncatePercent ${PERCENT_MUST_BE}, not ${truncatePercent}`);
  }
  if (truncateOver === undefined) return { keepTurnsWithTools, truncatePercent };
  if (!isCharacterLimit(truncateOver)) {
    throw new OpenBotError('USAGE', `truncateOver ${LIMIT_MUST_BE}, not ${truncateOver}`);
  }
  return { keepTurnsWithTools, truncatePercent, truncateOver };
}
