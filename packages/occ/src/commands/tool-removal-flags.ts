import { mergePresets, resolveToolRemovalOptions } from '../clean/presets.ts';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { SessionNotFoundError } from '../errors.ts';
import type { CommandInput } from './command.ts';

export interface ChosenRemoval {
  readonly toolRemoval: ResolvedToolRemovalOptions;
  /** Absent when a flag changed its values. */
  readonly presetName?: string;
}

/** What `--strip-tools`, `--keep`, `--truncate` and `--truncate-over` say together; undefined when none of them was given. */
export function chooseRemoval({ flags, settings }: CommandInput): ChosenRemoval | undefined {
  const { stripTools, keep, truncate, truncateOver } = flags;
  const isPlain = keep === undefined && truncate === undefined && truncateOver === undefined;
  if (stripTools === undefined && isPlain) return undefined;
  const preset = typeof stripTools === 'string' ? stripTools : settings.defaultPreset;
  const toolRemoval = resolveToolRemovalOptions(
    { preset, keepTurnsWithTools: keep, truncatePercent: truncate, truncateOver },
    settings.customPresets,
  );
  return isPlain ? { toolRemoval, presetName: preset } : { toolRemoval };
}

/** `--strip-tools aggressive` names a session, not a preset: whoever writes so is told. */
export function explainPresetTakenForSession(error: unknown, { flags, settings }: CommandInput): unknown {
  if (!(error instanceof SessionNotFoundError) || flags.stripTools !== true) return error;
  if (!mergePresets(settings.customPresets).has(error.sessionId)) return error;
  return new SessionNotFoundError(
    error.sessionId,
    `A preset stands after '=': --strip-tools=${error.sessionId}`,
  );
}
