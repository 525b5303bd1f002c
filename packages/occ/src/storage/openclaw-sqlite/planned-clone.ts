import type { Transcript } from '@openbot/sessions';
import type { DatabaseTranscript } from '@openbot/sessions/openclaw-database';
import type { CleanPlan } from '../../clean/plan.ts';
import { planClean } from '../../clean/plan-clean.ts';
import { rewriteLine } from '../../clean/rewrite-line.ts';
import type { ResolvedToolRemovalOptions } from '../../clean/tool-removal.ts';
import { assertCloneable } from '../../rewrite/open-session.ts';
import type { FoundSession } from '../contract/found-session.ts';
import { KEEP_ALL, withNewId } from '../files/clone-file.ts';

export interface DatabaseClone {
  readonly session: FoundSession;
  /** Of a backup, in the place of the session's own. */
  readonly lines?: DatabaseTranscript;
  readonly newSessionId: string;
  /** Left out: an exact copy but for the id. */
  readonly options?: ResolvedToolRemovalOptions;
  /** Also into a database of a version that is not known. */
  readonly force?: boolean;
  readonly at: Date;
}

/** A clone as it is to be: the plan, and what each line that stays becomes. */
export interface PlannedClone extends DatabaseTranscript {
  readonly plan: CleanPlan;
  readonly editOf: CleanPlan['editOf'];
}

export function planClone(source: DatabaseTranscript, clone: DatabaseClone): PlannedClone {
  const { transcript, readLine } = source;
  const { sessionId: sourceSessionId } = clone.session;
  assertCloneable(transcript, sourceSessionId);
  const planned = planClean(transcript, clone.options ?? KEEP_ALL, readLine);
  // A row holds a line, and a blank one is none.
  const isRemoved = (i: number) => transcript.kindOf(i) === 'blank' || planned.isRemoved(i);
  const plan = { ...planned, isRemoved };
  return { ...source, plan, editOf: withNewId(transcript, plan, { ...clone, sourceSessionId }) };
}

/** The lines of a clone, each with its end. */
export function* iterateClonedLines(planned: PlannedClone): Generator<Buffer> {
  const { transcript, readLine, readBytes, plan, editOf } = planned;
  for (let i = 0; i < transcript.length; i++) {
    if (plan.isRemoved(i)) continue;
    const edit = editOf(i);
    if (edit === undefined) yield Buffer.concat([readBytes(i), LINE_END]);
    else yield Buffer.from(`${rewriteLine(readLine(i), edit, 'openclaw')}\n`, 'latin1');
  }
}

const LINE_END = Buffer.from('\n');

/** Where a written clone has another line than planned. */
export function findOtherLine({ transcript, plan }: PlannedClone, after: Transcript): string | undefined {
  let line = 0;
  for (let i = 0; i < transcript.length; i++) {
    if (plan.isRemoved(i)) continue;
    const isSame = after.kindOf(line) === transcript.kindOf(i) && after.idOf(line) === transcript.idOf(i);
    if (line >= after.length || !isSame) return `line ${line + 1} is not what line ${i + 1} was`;
    line++;
  }
  return line === after.length ? undefined : 'it has more lines than planned';
}
