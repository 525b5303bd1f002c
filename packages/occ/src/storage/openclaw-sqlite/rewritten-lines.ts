import type { DatabaseTranscript } from '@openbot/sessions/openclaw-database';
import type { LineEdit } from '../../clean/line-edit.ts';
import type { CleanPlan } from '../../clean/plan.ts';
import { rewriteLine } from '../../clean/rewrite-line.ts';
import type { RowChanges } from './apply-changes.ts';

/** As much of what was rewritten is remembered; the rest is rewritten again when it is written. */
const MOST_REMEMBERED = 8 * 1024 * 1024;

/** The lines of a session as a plan wants them. */
export class RewrittenLines {
  readonly #session: DatabaseTranscript;
  readonly #plan: CleanPlan;
  /** By index of an entry that stays, one character a byte. */
  readonly #remembered = new Map<number, string>();
  #rememberedSize = 0;

  constructor(session: DatabaseTranscript, plan: CleanPlan) {
    this.#session = session;
    this.#plan = plan;
  }

  /** How long the session will be, as a file. */
  measure(): number {
    const { transcript } = this.#session;
    let size = transcript.byteLength;
    for (let i = 0; i < transcript.length; i++) {
      const length = transcript.endOf(i) - transcript.startOf(i);
      if (this.#plan.isRemoved(i)) size -= length + 1;
      else {
        const edit = this.#plan.editOf(i);
        if (edit !== undefined) size += this.#rewrite(i, edit).length - length;
      }
    }
    return size;
  }

  listChanges(): RowChanges {
    const { transcript, seqs } = this.#session;
    const removed: number[] = [];
    for (let i = 0; i < transcript.length; i++) if (this.#plan.isRemoved(i)) removed.push(seqs[i]!);
    return { removed, replaced: this.#listReplaced() };
  }

  /** One at a time: a line is needed only until it is written. */
  *#listReplaced(): Generator<readonly [number, Buffer, string | null]> {
    const { transcript, seqs } = this.#session;
    for (let i = 0; i < transcript.length; i++) {
      const edit = this.#plan.isRemoved(i) ? undefined : this.#plan.editOf(i);
      if (edit === undefined) continue;
      const line = Buffer.from(this.#remembered.get(i) ?? this.#rewrite(i, edit), 'latin1');
      const parent = parentAfter(edit);
      yield [seqs[i]!, line, parent === undefined ? (transcript.parentIdOf(i) ?? null) : parent];
    }
  }

  #rewrite(index: number, edit: LineEdit): string {
    const line = rewriteLine(this.#session.readLine(index), edit, 'openclaw');
    if (this.#rememberedSize + line.length <= MOST_REMEMBERED) {
      this.#rememberedSize += line.length;
      this.#remembered.set(index, line);
    }
    return line;
  }
}

/** The parent that an edit writes into a line; undefined where it leaves it, null where there is none any more. */
function parentAfter({ fields }: LineEdit): string | null | undefined {
  const json = fields?.get('parentId');
  return typeof json === 'string' ? (JSON.parse(json) as string | null) : undefined;
}
