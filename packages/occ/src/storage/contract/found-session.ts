import type { OpenBotError } from '@openbot/sessions';
import type { OpenclawLayout } from '@openbot/sessions/layout';
import type { TokenBasis } from '@openbot/sessions/transcript';

/** The storages by name: the program that each is of, and what its sessions have as `storage` where they are no files. */
const STORAGE_NAMES = {
  'openclaw-files': { source: 'openclaw' },
  'openclaw-sqlite': { source: 'openclaw', storage: 'sqlite' },
  pi: { source: 'pi' },
  claude: { source: 'claude' },
} as const;

type NamedStorage = (typeof STORAGE_NAMES)[StorageName];

export type StorageName = keyof typeof STORAGE_NAMES;
/** The program that a session is of. */
export type SourceName = NamedStorage['source'];
export type StorageKind = Extract<NamedStorage, { storage: string }>['storage'];

export const SOURCE_NAMES: readonly SourceName[] = [
  ...new Set(Object.values(STORAGE_NAMES).map(({ source }) => source)),
];
export const STORAGE_KINDS: readonly StorageKind[] = Object.values(STORAGE_NAMES).flatMap((named) =>
  'storage' in named ? [named.storage] : [],
);

/** The values of `--source`. */
export type SourceChoice = SourceName | 'all';

/** The context window of the model that a session was last run with, where it is recorded. */
export interface ContextWindow {
  readonly tokens: number;
  /** The tokens that are used: the last figure in the transcript, else what OpenClaw recorded. */
  readonly used?: number;
  /** Of the window, in whole percent. */
  readonly percent?: number;
  /** `used` was computed or is out of date. */
  readonly estimated?: true;
}

/** What the model reads at its next call, as `occ info` tells it. */
export interface ContextTokens {
  readonly context: number;
  readonly basis: TokenBasis;
}

/** One session, as `occ list --json` prints it. */
export interface FoundSession {
  readonly sessionId: string;
  /** OpenClaw only; absent for a file that the index does not know. Sessions of one key may share it: see `former`. */
  readonly sessionKey?: string;
  /** OpenClaw only; null elsewhere. */
  readonly agentId: string | null;
  readonly source: SourceName;
  /** Of the transcript, absolute; of the database where that holds it. */
  readonly path: string;
  /** OpenClaw only: the transcript is in its database. Absent for a file. */
  readonly storage?: StorageKind;
  /** The index, where it is not `sessions.json` beside the transcript. */
  readonly indexPath?: string;
  /** As the transcript says; null where it says none or is gone. */
  readonly cwd: string | null;
  /** Milliseconds: when the transcript last changed, or what the index says where the file is gone. */
  readonly updatedAt: number;
  /** Of the transcript as a file of lines, however it is kept. */
  readonly sizeBytes: number;
  readonly label?: string;
  readonly displayName?: string;
  /** What the person first said: at most 200 characters, without secrets. Only in a list. */
  readonly firstWords?: string;
  /** The size of the context, as far as the end of the transcript tells it. Only in a list. */
  readonly tokens?: ContextTokens;
  readonly window?: ContextWindow;
  /** Its key leads to another session now. Only known of a database. */
  readonly former?: true;
  /** OpenClaw moved its lines out of the database. */
  readonly cold?: true;
  /** The index names it but its file is gone, or the database names it but has no lines of it. */
  readonly missing?: true;
}

/** Which sessions to search. Flags win over the environment, the environment over the configuration. */
export interface SearchScope {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** `--state-dir`. It implies the source openclaw. */
  readonly stateDirFlag?: string;
  /** From the configuration. */
  readonly stateDirConfigured?: string;
  /** `--agent`. */
  readonly agentFlag?: string;
  readonly agentConfigured?: string;
  readonly allAgents?: boolean;
  readonly source?: SourceChoice;
  /**
   * The words of the running command, the program first: `['occ', 'edit', '--strip-tools']`. They identify an
   * agent that calls occ on itself.
   */
  readonly commandLine?: readonly string[];
  /**
   * Asks which of several sessions is meant, the newest first. Absent where no person can be asked: then the newest one is
   * meant, and a name that several have is an error.
   */
  readonly choose?: (sessions: readonly FoundSession[]) => Promise<FoundSession>;
  /** Whether a session is among those to choose from. Left out: all are. */
  readonly isOffered?: (session: FoundSession) => boolean;
  /** Called for each index or database that cannot be read, where the search goes on without it. */
  readonly warn?: (fault: OpenBotError) => void;
  /** Replaces what OpenClaw's own configuration says of where sessions are. */
  readonly ownLayout?: OpenclawLayout;
  /** Keeps what one command resolved, so that it reads OpenClaw's configuration once. */
  readonly layouts?: Map<string, ResolvedLayout>;
}

export interface ResolvedLayout {
  readonly layout: OpenclawLayout;
  /** Why the configuration could not be read. */
  readonly fault?: OpenBotError;
}

/** How a session was found. `calling-command`: its own run called this command, whether it named the session or not. */
export type FoundBy = 'argument' | 'environment' | 'calling-command' | 'most-recent';

export interface ResolvedSession {
  readonly session: FoundSession;
  readonly foundBy: FoundBy;
}
