/** How texts begin that stand in a person's place in Claude Code's transcripts but that no person typed. */
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

/** @param head the text or its beginning; undefined where that is known to be no bracket */
export function isMachineText(head: string | undefined): boolean {
  return head !== undefined && OPENINGS.some((opening) => head.startsWith(opening));
}

/** Whether a person typed a text, by its length and its beginning as the leaf `head` gives them. */
export function isTypedText(size: unknown, head: unknown): boolean {
  return typeof size === 'number' && size > 0 && !isMachineText(typeof head === 'string' ? head : undefined);
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
    originKind === 'task-notification'
  );
}
