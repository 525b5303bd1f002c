export const SOURCE_NAMES = ['openclaw', 'pi', 'claude'] as const;
/** Whose session it is. */
export type SourceName = (typeof SOURCE_NAMES)[number];
/** What `--source` takes. */
export type SourceChoice = SourceName | 'all';

/** One session, as `occ list --json` prints it. */
export interface FoundSession {
  readonly sessionId: string;
  /** OpenClaw only; absent for a file that the index does not know. */
  readonly sessionKey?: string;
  /** OpenClaw only; null elsewhere. */
  readonly agentId: string | null;
  readonly source: SourceName;
  /** Of the transcript, absolute. */
  readonly path: string;
  /** As the transcript says; null where it says none or is gone. */
  readonly cwd: string | null;
  /** Milliseconds: when the transcript last changed, or what the index says where the file is gone. */
  readonly updatedAt: number;
  readonly sizeBytes: number;
  readonly label?: string;
  readonly displayName?: string;
  /** The index names it but its file is not there. */
  readonly missing?: true;
}

/** Where to look, and for whom. Flags win over the environment, that over the configuration. */
export interface SearchPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** `--state-dir`. Given, the source is openclaw. */
  readonly stateDirFlag?: string | undefined;
  /** From the configuration. */
  readonly stateDirConfigured?: string | undefined;
  /** `--agent`. */
  readonly agentFlag?: string | undefined;
  readonly agentConfigured?: string | undefined;
  readonly allAgents?: boolean | undefined;
  readonly source?: SourceChoice | undefined;
  /**
   * The words of the running command, the program first: `['occ', 'edit', '--strip-tools']`. An agent that calls occ
   * on itself is known by them.
   */
  readonly commandLine?: readonly string[] | undefined;
}

/** How a session was found. `calling-command`: its own run called this command, whether it named the session or not. */
export type FoundBy = 'argument' | 'environment' | 'calling-command' | 'most-recent';

export interface ResolvedSession {
  readonly session: FoundSession;
  readonly foundBy: FoundBy;
}
