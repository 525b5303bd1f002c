import { OpenBotError } from '@openbot/sessions';
import { mergePresets, resolveToolRemovalOptions } from '../clean/presets.ts';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { SessionNotFoundError } from '../errors.ts';
import type { OccInput } from './command.ts';
import type { CLEANING_FLAGS } from './flags.ts';

type CleaningInput = Pick<OccInput<typeof CLEANING_FLAGS>, 'flags' | 'settings'>;

interface ChosenRemoval {
  readonly toolRemoval: ResolvedToolRemovalOptions;
  /** Absent when a flag changed its values. */
  readonly presetName?: string;
}

/** What `--strip-tools`, `--keep`, `--truncate` and `--truncate-over` say together; undefined when none of them was given. */
export function chooseRemoval({ flags, settings }: CleaningInput): ChosenRemoval | undefined {
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

/** `--strip-tools aggressive` names a session, not a preset; the error says so. */
export function explainPresetTakenForSession(error: unknown, { flags, settings }: CleaningInput): unknown {
  if (!(error instanceof OpenBotError) || error.code !== 'SESSION_NOT_FOUND') return error;
  const name = error.details?.sessionId as string;
  if (flags.stripTools !== true || !mergePresets(settings.customPresets).has(name)) return error;
  return new SessionNotFoundError(name, `Write a preset after '=': --strip-tools=${name}`);
}
