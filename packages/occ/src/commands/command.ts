import type { CommandInput, Flags, FlagValues } from '@openbot/sessions/command-line';
import type { OpenclawLayout } from '@openbot/sessions/layout';
import type { Settings } from '../config/settings.ts';
import type { NO_ORIGINAL } from './flags.ts';

/** What every command of occ is given beside its flags. */
export interface OccContext {
  /** Of the environment and the configuration. `flags.json` and `flags.verbose` follow them. */
  readonly settings: Settings;
  /** Another program whose commands these are too. */
  readonly host?: HostProgram;
}

/** A program that has the commands of occ under a name of its own, for a state folder of its own. */
export interface HostProgram {
  /** What is typed before the name of a command: `openbot clean`. */
  readonly calledAs: string;
  /** Where sessions are, by its own configuration. */
  readonly layout?: OpenclawLayout;
  /** Called when a session was rewritten or made, before it is reported. Must not throw. */
  onChange?(session: ChangedSession, change: 'rewritten' | 'made'): Promise<void>;
}

export interface ChangedSession {
  /** Absent for a session that no index knows. */
  readonly sessionKey?: string;
  readonly agentId: string | null;
}

/** The input of a command with these flags. */
export type OccInput<F extends Flags> = CommandInput<F> & OccContext;

/** Whether the first state of a session is kept when its backup is rotated out. */
export function keepsOriginal({
  flags,
  settings,
}: OccContext & { readonly flags: FlagValues<typeof NO_ORIGINAL> }): boolean {
  return flags.noOriginal === true ? false : settings.keepOriginal;
}
