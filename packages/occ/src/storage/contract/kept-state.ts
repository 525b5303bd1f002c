export interface Backup {
  readonly number: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly createdAt: number;
  /** `sessions`: beside the transcript, from an earlier version. `import archive`: OpenClaw moved it there. */
  readonly keptIn: 'backups' | 'sessions' | 'import archive';
}

/** An earlier state of a session, in a file: a backup, or the original, unpacked, with a number below all others. */
export interface KeptState extends Backup {
  /** Of the rewrite that it was kept for; absent where the journal has none. */
  readonly record?: RewriteRecord;
  /** Of the original: the compressed file. */
  readonly packedPath?: string;
  /** Of the original: the number of the backup that it was, if known. */
  readonly wasBackup?: number;
}

/** One rewrite of a session. Written to the journal before it takes place. */
export interface RewriteRecord {
  readonly kind: 'edit' | 'restore';
  /** The number of the backup that holds the state before. */
  readonly backup: number;
  /** ISO 8601. */
  readonly at: string;
  /** The size of the state before. Bytes behind it in the session at that time were carried over. */
  readonly backupBytes: number;
  /** How far lines that came in behind it were carried over to the new file; `backupBytes` where none did. */
  readonly carriedTo?: number;
  /** The size of the rewritten state: what follows it was said since. */
  readonly resultBytes: number;
  /** Of the end of those bytes. Where it does not match, another program rewrote the session. */
  readonly resultHash: string;
  /** Of a session in OpenClaw's database: the generation of its rows before and after. */
  readonly generations?: { readonly before: string | null; readonly after: string };
  /** Counters of the session's index entry before, to be put back. */
  readonly counters?: Readonly<Record<string, unknown>>;
  /** Thinking was bound, and the rewritten state has none that is stale. */
  readonly isRepaired?: true;
  /** What was lowered once more after the run that the edit was made in. */
  readonly corrected?: CorrectedFigures;
}

/** Figures that a run recorded at its end, as they were before they were lowered; to be put back. */
export interface CorrectedFigures {
  /** By entry: the JSON of its usage. */
  readonly usage: Readonly<Record<string, string>>;
  readonly counters?: Readonly<Record<string, unknown>>;
}
