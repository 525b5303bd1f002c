import {
  findMember,
  isArrayAt,
  listElements,
  type MemberSpan,
  Splice,
  toByteText,
} from '@openbot/sessions/rewrite';
import { actionAt, COPIES, type LineEdit } from '../line-edit.ts';
import { changeValue, type LineParts, readText } from './line-parts.ts';
import { shortenCall } from './shorten-call.ts';
import { noteOutput } from './shorten-outputs.ts';
import { truncateContent, truncateCopy } from './truncate.ts';

/** Takes calls and thinking out of a message's blocks, or shortens its calls or its result. */
export function rewriteOpenClawContent(parts: LineParts, edit: LineEdit): void {
  if (edit.results === 'truncate') shortenResult(parts);
  if (edit.outputs !== undefined) shortenExecution(parts);
  if (edit.calls === undefined && !edit.dropThinking) return;
  const content = findMember(parts.message, 'content');
  if (content === undefined || !isArrayAt(parts.line, content.start)) return;
  const elements = content.elements ?? listElements(parts.line, content.start);
  const blocks = elements.map(({ start, end, members }) => {
    return { start, end, members, type: readText(parts, findMember(members, 'type')) };
  });
  const losesThinking = Boolean(edit.dropThinking) && blocks.some(({ type }) => isThinking(type));
  const kept: string[] = [];
  let call = -1;
  let isShorter = false;
  for (const { start, end, members, type } of blocks) {
    const isCall = type === 'toolCall' || type === 'toolUse' || type === 'functionCall';
    const action = isCall ? actionAt(edit.calls, ++call) : 'keep';
    if (action === 'remove' || (losesThinking && isThinking(type))) {
      isShorter = true;
      continue;
    }
    let block: string | undefined;
    if (action === 'truncate') block = shortenCall(parts, members, ARGUMENTS, start, end, call);
    else if (losesThinking && type === 'text') block = releaseText(parts, members, start, end);
    if (block !== undefined) isShorter = true;
    kept.push(block ?? parts.line.slice(start, end));
  }
  if (isShorter) parts.splice.replace(content.start, content.end, `[${kept.join(',')}]`);
}

/** Redacted thinking has the same type with a mark in OpenClaw's and pi's files; other programs give it a type of its own. */
export function isThinking(type: string | undefined): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** A text whose signature no longer refers to its thinking. */
function releaseText(
  parts: LineParts,
  members: readonly MemberSpan[],
  start: number,
  end: number,
): string | undefined {
  const member = findMember(members, 'textSignature');
  const signature = readText(parts, member);
  const released = signature === undefined ? undefined : releaseSignature(signature);
  if (member === undefined || released === undefined) return undefined;
  const block = new Splice(parts.line.slice(start, end));
  block.replace(member.start - start, member.end - start, toByteText(JSON.stringify(released)));
  return block.toString();
}

/** The members with a call's arguments, of which the first one counts; and their second copy. */
const ARGUMENTS = { keys: ['arguments', 'input'], copy: COPIES.arguments } as const;

function shortenResult(parts: LineParts): void {
  const content = findMember(parts.message, 'content');
  const shortened = changeValue(parts, content, (value) => {
    const cut = truncateContent(value);
    if (cut !== value) noteResult(parts, value, cut);
    return cut;
  });
  const copy = changeValue(parts, findMember(parts.message, COPIES.result), truncateCopy);
  if (copy !== undefined && shortened === undefined) parts.cuts?.results.set(0, -1);
}

/** A command that a person ran with `!` in pi. */
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

/** The ids of OpenAI's messages. */
const ITEM_ID = /^msg_/;
/** How many characters identify an id. */
const ENDING = 16;

/**
 * The new signature of a text whose thinking is removed. OpenAI refuses a text with its id without the reasoning before it.
 * OpenClaw omits that id when it sends the text, pi sends it. An id of our own belongs to no reasoning; other parts of the
 * signature stay, such as whether the text is an answer or a comment. Undefined if nothing changes.
 */
function releaseSignature(signature: string): string | undefined {
  if (ITEM_ID.test(signature)) return releaseId(signature);
  const fields = signature.startsWith('{') ? parseFields(signature) : undefined;
  if (fields === undefined || typeof fields.id !== 'string' || !ITEM_ID.test(fields.id)) return undefined;
  return JSON.stringify({ ...fields, id: releaseId(fields.id) });
}

function releaseId(id: string): string {
  return `msg_occ_${id.replace(/[^\w-]/g, '').slice(-ENDING)}`;
}

function parseFields(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
