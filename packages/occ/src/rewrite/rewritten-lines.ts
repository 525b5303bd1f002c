import type { LineEdit } from '../clean/line-edit.ts';
import type { LineChanges } from '../clean/plan.ts';
import { rewriteLine } from '../clean/rewrite-line.ts';
import type { SessionLines } from '../storage/contract/rewriting.ts';

/** As much of what was rewritten is remembered; the rest is rewritten again when it is written. */
const MOST_REMEMBERED = 8 * 1024 * 1024;

/** The lines of a session as a plan wants them. */
export class RewrittenLines {
  readonly #lines: SessionLines;
  readonly #plan: LineChanges;
  /** By index of an entry that stays, one character a byte. */
  readonly #remembered = new Map<number, string>();
  #rememberedSize = 0;

  constructor(lines: SessionLines, plan: LineChanges) {
    this.#lines = lines;
    this.#plan = plan;
  }

  /** The size of the session, as a file. */
  measure(): number {
    const { transcript } = this.#lines;
    let size = transcript.byteLength;
    const { length } = transcript;
    for (let i = transcript.behindBlanks(0); i < length; i = transcript.behindBlanks(i + 1)) {
      const start = transcript.startOf(i);
      const next = i + 1 < transcript.length ? transcript.startOf(i + 1) : transcript.byteLength;
      if (this.#plan.isRemoved(i)) size -= next - start;
      else {
        const edit = this.#plan.editOf(i);
        if (edit !== undefined) size += this.#rewrite(i, edit).length - (transcript.endOf(i) - start);
      }
    }
    return size;
  }

  /** The lines that change, one at a time: a line is needed only until it is written. */
  *changed(): Generator<readonly [index: number, edit: LineEdit, line: string]> {
    const { transcript } = this.#lines;
    const { length } = transcript;
    for (let i = transcript.behindBlanks(0); i < length; i = transcript.behindBlanks(i + 1)) {
      const edit = this.#plan.isRemoved(i) ? undefined : this.#plan.editOf(i);
      if (edit !== undefined) yield [i, edit, this.#remembered.get(i) ?? this.#rewrite(i, edit)];
    }
  }

  #rewrite(index: number, edit: LineEdit): string {
    const { transcript, readLine } = this.#lines;
    const line = rewriteLine(edit.begun ?? readLine(index), edit, transcript.dialect ?? 'openclaw');
    if (this.#rememberedSize + line.length <= MOST_REMEMBERED) {
      this.#rememberedSize += line.length;
      this.#remembered.set(index, line);
    }
    return line;
  }
}
