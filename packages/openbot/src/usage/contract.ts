import type { Environment } from '@openbot/sessions/layout';
import type { UsageRequest } from './rules/request.ts';

/** Where a source looks. */
export interface UsageScope {
  readonly env: Environment;
  readonly cwd: string;
  /** `--state-dir`. */
  readonly stateDir?: string;
  /** Called for what cannot be read; the rest is counted. */
  readonly warn?: (message: string) => void;
}

/** A part of a source whose usage is read and remembered on its own: a file, or a session in a database. */
export interface UsageUnit {
  /** Unique, and the same at each listing. */
  readonly id: string;
  /** Another one when the unit changed. */
  readonly mark: string;
  /** Milliseconds of the last change. A change so shortly before the reading may be followed by one with the same mark. */
  readonly changedAt: number;
  readonly sessionId: string;
  readonly agentId?: string;
  /** Of Claude Code and pi: the name of the project's folder. */
  readonly project?: string;
}

/** What was read of a unit. */
export interface ReadUnit {
  readonly requests: readonly UsageRequest[];
  /** Given to `read` when the unit is read again. */
  readonly rest?: UnitRest;
}

/** Where to go on in a file that has grown. */
export interface UnitRest {
  /** Behind the last line end. */
  readonly at: number;
  /** Of the file. */
  readonly ino: number;
  /** Of the bytes before it: a file that was rewritten has others. */
  readonly hash: string;
  /** How many of the requests are of a last line without an end, which may be incomplete. */
  readonly unsure: number;
}

/** What a report says of a session beside its figures. */
export interface SessionNote {
  readonly sessionKey?: string;
  readonly label?: string;
  readonly channel?: string;
}

export interface UsageSource {
  /** Called for a unit that cannot be read; the rest is counted. */
  readonly warn?: (message: string) => void;
  /** The folders or files that units are listed from, for messages and to tell caches apart. */
  readonly places: readonly string[];
  /** In the order in which they are counted. */
  list(): Promise<readonly UsageUnit[]>;
  /** @param known what was read before, of the same unit */
  read(unit: UsageUnit, known: ReadUnit | undefined): Promise<ReadUnit>;
  /** By session id. Read for reports by session or channel alone. */
  describeSessions(): Promise<ReadonlyMap<string, SessionNote>>;
  /** Of sessions that no note names. */
  readonly channel?: string;
  /** Requests that another source has too, by their provider: they do not count beside it. */
  readonly repeats?: { readonly source: string; readonly providers: readonly string[] };
  readonly hasAgents: boolean;
}
