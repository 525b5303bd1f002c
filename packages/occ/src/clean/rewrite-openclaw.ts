import { findMember, isArrayAt, isObjectAt, listElements, listMembers } from '@openbot/sessions';
import { cutCopy } from './cut-copy.ts';
import { actionAt, type LineEdit } from './line-edit.ts';
import { changeValue, type LineParts, readText } from './line-parts.ts';
import { shortenCall } from './shorten-call.ts';
import { noteOutput } from './tool-output.ts';
import { truncateContent } from './truncate-content.ts';

/** Takes calls and thinking out of a message's blocks, or shortens its calls or its result. */
export function rewriteOpenClawContent(parts: LineParts, edit: LineEdit): void {
  if (edit.results === 'truncate') shortenResult(parts);
  if (edit.outputs !== undefined) shortenExecution(parts);
  if (edit.calls === undefined && !edit.dropThinking) return;
  const content = findMember(parts.message, 'content');
  if (content === undefined || !isArrayAt(parts.line, content.start)) return;
  const kept: string[] = [];
  let call = -1;
  let isShorter = false;
  for (const { start, end } of listElements(parts.line, content.start)) {
    const members = isObjectAt(parts.line, start) ? listMembers(parts.line, start) : [];
    const type = readText(parts, findMember(members, 'type'));
    const isCall = type === 'toolCall' || type === 'toolUse' || type === 'functionCall';
    const action = isCall ? actionAt(edit.calls, ++call) : 'keep';
    if (action === 'remove' || (edit.dropThinking && isThinking(type))) {
      isShorter = true;
      continue;
    }
    const block =
      action === 'truncate' ? shortenCall(parts, members, ARGUMENTS, start, end, call) : undefined;
    if (block !== undefined) isShorter = true;
    kept.push(block ?? parts.line.slice(start, end));
  }
  if (isShorter) parts.splice.replace(content.start, content.end, `[${kept.join(',')}]`);
}

/** Redacted thinking has the same type with a mark in OpenClaw's and pi's files; other programs give it a type of its own. */
function isThinking(type: string | undefined): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Where a call's arguments are, the first that there is; and their second copy. */
const ARGUMENTS = { keys: ['arguments', 'input'], copy: 'partialArgs' } as const;

function shortenResult(parts: LineParts): void {
  const content = findMember(parts.message, 'content');
  const shortened = changeValue(parts, content, (value) => {
    const cut = truncateContent(value);
    if (cut !== value) noteResult(parts, value, cut);
    return cut;
  });
  const copy = changeValue(parts, findMember(parts.message, 'details'), cutCopy);
  if (copy !== undefined && shortened === undefined) parts.cuts?.results.set(0, -1);
}

/** What a person ran with `!` in pi. */
function shortenExecution(parts: LineParts): void {
  if (readText(parts, findMember(parts.message, 'role')) !== 'bashExecution') return;
  changeValue(parts, findMember(parts.message, 'output'), (value) => {
    const cut = typeof value === 'string' ? truncateContent(value) : value;
    if (cut !== value) noteOutput(parts, (value as string).length - (cut as string).length);
    return cut;
  });
}

function noteResult(parts: LineParts, before: unknown, after: unknown): void {
  if (parts.cuts === undefined) return;
  parts.cuts.results.set(0, textSize(after));
  parts.cuts.images += countImages(before) - countImages(after);
}

export function textSize(content: unknown): number {
  if (typeof content === 'string') return content.length;
  if (!Array.isArray(content)) return 0;
  return content.reduce(
    (sum: number, block) => sum + (typeof block?.text === 'string' ? block.text.length : 0),
    0,
  );
}

export function countImages(content: unknown): number {
  return Array.isArray(content) ? content.filter((block) => block?.type === 'image').length : 0;
}
