import { unlink } from 'node:fs/promises';
import { backupPathOf, backupPathsOf } from '../backups/backup-paths.ts';
import { addRecord, changeRecord } from '../backups/journal.ts';
import { type Rotation, rotateBackups } from '../backups/rotate-backups.ts';
import type { RewriteRecord } from '../storage/contract/kept-state.ts';
import type {
  HeldSession,
  NextState,
  ReplacedState,
  RewriteSteps,
  SessionState,
} from '../storage/contract/rewriting.ts';

export interface Rewrite<Result> {
  readonly kind: RewriteRecord['kind'];
  /** Of the transcript, beside which the backups are. */
  readonly path: string;
  readonly now: () => Date;
  /** A backup that must stay, with all later ones, when old ones are rotated out. */
  readonly sparedBackup?: number;
  readonly keepsOriginal?: boolean;
  /** Decides what the session is to become. Called again when the session changed meanwhile. */
  plan(state: SessionState): Promise<PlannedRewrite<Result>>;
}

export type PlannedRewrite<Result> =
  | { readonly unchanged: Result }
  | ({ readonly next: NextState; describe(done: DoneRewrite): Result } & Pick<
      RewriteSteps,
      'accept' | 'verify' | 'changeEntry'
    > &
      Pick<RewriteRecord, 'isRepaired'>);

interface DoneRewrite extends ReplacedState {
  readonly rotation: Rotation;
}

/** So often the session may change between plan and swap; then its writers are kept out. */
const MOST_ATTEMPTS = 4;

/**
 * The one way in which a session is rewritten, wherever it is kept: plan, stage, verify, back up, record, swap, rotate.
 * Killed at any moment, the session is the old one or the new one.
 */
export async function rewriteSession<Result>(held: HeldSession, rewrite: Rewrite<Result>): Promise<Result> {
  for (let attempt = 1; attempt < MOST_ATTEMPTS; attempt++) {
    const tried = await tryOnce(held, rewrite);
    if (tried !== undefined) return finish(rewrite, tried);
  }
  let tried: Tried<Result> | undefined;
  try {
    await held.keepWritersOut(async () => {
      tried = await tryOnce(held, rewrite);
    });
  } catch (error) {
    // What was done holds only when the writers were let in again.
    await tried?.undo();
    throw error;
  }
  return finish(rewrite, tried!);
}

interface Tried<Result> {
  undo(): Promise<void>;
  /** Absent where nothing was changed. */
  readonly replaced?: ReplacedState;
  describe(done: DoneRewrite | undefined): Result;
}

async function tryOnce<Result>(
  held: HeldSession,
  { kind, path, now, plan }: Rewrite<Result>,
): Promise<Tried<Result> | undefined> {
  const state = await held.open();
  try {
    const planned = await plan(state);
    if ('unchanged' in planned) return { undo: async () => {}, describe: () => planned.unchanged };
    const { next, accept, verify, changeEntry, isRepaired, describe } = planned;
    const at = now();
    let recorded: number | undefined;
    const undo = async () => {
      if (recorded === undefined) return;
      await unlink(backupPathOf(backupPathsOf(path), recorded)).catch(() => {});
      // A record of what never took place would hide what was said before it.
      await changeRecord(path, recorded, () => undefined).catch(() => {});
    };
    const record: RewriteSteps['record'] = (made) => {
      recorded = made.backup;
      return addRecord(path, { kind, at: at.toISOString(), ...made, ...(isRepaired && { isRepaired }) });
    };
    const replaced = await next.replace({ at, accept, verify, record, undo, changeEntry });
    return replaced && { undo, replaced, describe: (done) => describe(done!) };
  } finally {
    await state.close();
  }
}

async function finish<Result>(
  { path, sparedBackup: spared, keepsOriginal }: Rewrite<Result>,
  { replaced, describe }: Tried<Result>,
): Promise<Result> {
  if (replaced === undefined) return describe(undefined);
  // The session is changed: old backups that stay are rotated out next time.
  const rotation = await rotateBackups(path, { spared, keepsOriginal }).catch(() => ({ removed: [] }));
  return describe({ ...replaced, rotation });
}
