import { FLAG } from '../entry.ts';

/** How texts begin that Claude Code's transcripts record as a person's but that no person typed. */
const OPENINGS = [
  '<command-name>',
  '<command-message>',
  '<command-args>',
  '<command-stdout>',
  '<local-command-stdout>',
  '<local-command-stderr>',
  '<local-command-caveat>',
  '<bash-input>',
  '<bash-stdout>',
  '<bash-stderr>',
  '<task-notification>',
  '<system-reminder>',
  '<user-prompt-submit-hook>',
  '<ide_opened_file>',
  '<ide_selection>',
  '[Request interrupted by user',
];

/** How texts begin that hold what a command, a background agent or the reading of a file gave back. */
const OUTPUT_OPENINGS = [
  '<command-stdout>',
  '<local-command-stdout>',
  '<local-command-stderr>',
  '<bash-stdout>',
  '<bash-stderr>',
  '<task-notification>',
  '<system-reminder>\nResult of calling the ',
];

/** How Claude Code marks what the end of a background agent put into the conversation. */
export const TASK_NOTIFICATION = 'task-notification';

/** Whether a text in a person's place is the output of a tool, by its beginning as the leaf `head` gives it. */
export function isToolOutput(head: unknown): boolean {
  return typeof head === 'string' && OUTPUT_OPENINGS.some((opening) => head.startsWith(opening));
}

/** @param head the text or its beginning; undefined where that is known to be no bracket */
export function isMachineText(head: string | undefined): boolean {
  return head !== undefined && OPENINGS.some((opening) => head.startsWith(opening));
}

/** Whether a person typed a text, by its length and its beginning as the leaf `head` gives them. */
export function isTypedText(size: unknown, head: unknown): boolean {
  const isTyped = typeof size === 'number' && size > 0 && !isSystemPart(head);
  return isTyped && !isMachineText(typeof head === 'string' ? head : undefined);
}

/** A turn of a person, a part of the system's, or 0, for one text in a person's place. */
export function flagOfText(size: unknown, head: unknown): number {
  if (isTypedText(size, head)) return FLAG.startsTurn;
  return isSystemPart(head) ? FLAG.systemPart : 0;
}

/** Of a message of which the runtime of the agent wrote all texts: they are no words of a person, and the model answers them. */
export const TOLD_TURN = FLAG.startsTurn | FLAG.systemPart;

/** Whether the runtime of the agent wrote all of a text, by the leaf `head`. */
export function isSystemPart(head: unknown): boolean {
  return head === '';
}

/** Whether the marks on a message in a person's place say that the program wrote it. */
export function isMessageByProgram(
  isMeta: unknown,
  isCompactSummary: unknown,
  isVisibleInTranscriptOnly: unknown,
  originKind: unknown,
): boolean {
  return (
    isMeta === true ||
    isCompactSummary === true ||
    isVisibleInTranscriptOnly === true ||
    originKind === TASK_NOTIFICATION
  );
}

/** Whether the marks on a message say that it is what a person, or a program in a person's place, asked for. Older versions wrote none. */
export function isMarkedAsTyped(originKind: unknown, promptSource: unknown): boolean {
  if (originKind !== undefined) return originKind === 'human';
  return promptSource !== undefined && promptSource !== 'system';
}
