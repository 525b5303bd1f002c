import { activePath, type OpenBotError, reportProgress, type Transcript } from '@openbot/sessions';
import { asciiJson, type FieldValue } from '@openbot/sessions/rewrite';
import { contextOf, modelMessagesOf } from '@openbot/sessions/transcript';
import type { LineEdit } from '../clean/line-edit.ts';
import type { CleanPlan } from '../clean/plan.ts';
import { planClean } from '../clean/plan-clean.ts';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { CloneOperationError } from '../errors.ts';
import type { SessionLines } from '../storage/contract/rewriting.ts';
import { assertCloneable } from './open-session.ts';

interface CloneIdentity {
  readonly sourceSessionId: string;
  readonly newSessionId: string;
  readonly at: Date;
  /** The entry with the first stale thinking of the source. */
  readonly staleFrom?: string;
}

/** Nothing is old enough. */
const KEEP_ALL: ResolvedToolRemovalOptions = {
  keepTurnsWithTools: Number.MAX_SAFE_INTEGER,
  truncatePercent: 0,
};

/**
 * What becomes of each line in a copy under a new id.
 * @param name of the source, for messages
 * @param isIdTold the model is told the session's id before all else, so no thinking counts in the copy that is bound to it
 */
export function planClone(
  { transcript, readLine }: SessionLines,
  name: string,
  identity: CloneIdentity,
  options: ResolvedToolRemovalOptions = KEEP_ALL,
  isIdTold = false,
): CleanPlan {
  assertCloneable(transcript, name);
  reportProgress({ step: 'plan', text: 'Planning the clone' });
  const from = isIdTold ? findFirst(transcript) : indexOf(transcript, identity.staleFrom);
  const plan = planClean(transcript, options, readLine, from);
  return { ...plan, editOf: withNewId(transcript, plan, identity) };
}

function indexOf(transcript: Transcript, id: string | undefined): number | undefined {
  return id === undefined ? undefined : transcript.indexOf(id);
}

/** The first entry that the model reads. */
function findFirst(transcript: Transcript): number | undefined {
  const context = contextOf(transcript, activePath(transcript).entries);
  return modelMessagesOf(transcript, context)[0]?.entries[0];
}

/** In OpenClaw's and pi's files the header holds the session's id; in Claude Code's every line does. */
function withNewId(transcript: Transcript, plan: CleanPlan, clone: CloneIdentity): CleanPlan['editOf'] {
  const id = asciiJson(clone.newSessionId);
  if (transcript.dialect === 'claude-code') {
    const ofMost = withField(undefined, 'sessionId', id);
    return (index) => {
      if (!transcript.isJson(index)) return undefined;
      const edit = plan.editOf(index);
      return edit === undefined ? ofMost : withField(edit, 'sessionId', id);
    };
  }
  const header = findHeader(transcript);
  const ownFields = new Map([
    ['id', id],
    ['clonedFrom', asciiJson(clone.sourceSessionId)],
    ['clonedAt', asciiJson(clone.at.toISOString())],
  ]);
  return (index) => (index === header ? { ...plan.editOf(index), ownFields } : plan.editOf(index));
}

function findHeader(transcript: Transcript): number {
  for (let i = 0; i < transcript.length; i++) if (transcript.kindOf(i) === 'header') return i;
  return -1;
}

function withField(edit: LineEdit | undefined, name: string, value: FieldValue): LineEdit {
  return { ...edit, fields: new Map(edit?.fields).set(name, value) };
}

export function cloneNotAsPlanned(fault: string): OpenBotError {
  return new CloneOperationError(`The clone did not pass verification: ${fault}`, {
    hint: 'It was removed. The session was rewritten at the same time, or the disk is failing; try again.',
  });
}
