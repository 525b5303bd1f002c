import {
  findMember,
  isArrayAt,
  listElements,
  type MemberSpan,
  Splice,
  toByteText,
} from '@openbot/sessions/rewrite';
import { actionAt, COPIES, type LineEdit } from '../line-edit.ts';
import { changeValue, type LineParts, readText, readValue, removeTopMember } from './line-parts.ts';
import { countImages, isThinking, textSize } from './rewrite-openclaw.ts';
import { shortenAttachment } from './shorten-attachment.ts';
import { shortenCall } from './shorten-call.ts';
import { shortenOutputs } from './shorten-outputs.ts';
import { truncateContent, truncateCopy } from './truncate.ts';

/** Takes calls, results and thinking out of a message's blocks, or shortens them, and their copies in the line. */
export function rewriteClaudeCodeContent(parts: LineParts, edit: LineEdit): void {
  const { calls, results, outputs } = edit;
  if (calls === undefined && results === undefined && outputs === undefined && !edit.dropThinking) return;
  if (outputs !== undefined) shortenAttachment(parts);
  const content = findMember(parts.message, 'content');
  if (content === undefined) return;
  if (outputs !== undefined) shortenOutputs(parts, content, parts.splice);
  if (!isArrayAt(parts.line, content.start)) return;
  const kept: string[] = [];
  let call = -1;
  let result = -1;
  let isShorter = false;
  let resultsLeft = 0;
  for (const { start, end, members } of listElements(parts.line, content.start)) {
    const type = readText(parts, findMember(members, 'type')) ?? '';
    let block: string | undefined;
    let isGone =
      edit.dropThinking === 'alone' ? isThinking(type) : edit.dropThinking === true && belongsToCall(type);
    if (type === 'tool_use' || type === 'server_tool_use') {
      const action = actionAt(edit.calls, ++call);
      if (action === 'remove') isGone = true;
      else if (action === 'truncate' && type === 'tool_use') {
        block = shortenCall(parts, members, { keys: ['input'] }, start, end, call);
      }
    } else if (type === 'tool_result') {
      const action = actionAt(edit.results, ++result);
      if (action === 'remove') isGone = true;
      else resultsLeft++;
      if (action === 'truncate') block = shortenResult(parts, members, start, end, result);
    } else if (type === 'text' && outputs !== undefined) {
      block = shortenOutputBlock(parts, members, start, end);
    }
    if (isGone || block !== undefined) isShorter = true;
    if (!isGone) kept.push(block ?? parts.line.slice(start, end));
  }
  if (isShorter) parts.splice.replace(content.start, content.end, `[${kept.join(',')}]`);
  if (result >= 0) shortenCopy(parts, edit, resultsLeft);
}

function shortenOutputBlock(
  parts: LineParts,
  members: readonly MemberSpan[],
  start: number,
  end: number,
): string | undefined {
  const text = findMember(members, 'text');
  if (text === undefined) return undefined;
  const splice = new Splice(parts.line.slice(start, end));
  shortenOutputs(parts, text, splice, start);
  return splice.isEmpty ? undefined : splice.toString();
}

/** Thinking, and results of a provider's own tools in the assistant's message. */
function belongsToCall(type: string): boolean {
  return isThinking(type) || (type.endsWith('_tool_result') && type !== 'tool_result');
}

function shortenResult(
  parts: LineParts,
  members: readonly MemberSpan[],
  start: number,
  end: number,
  number: number,
): string | undefined {
  const content = findMember(members, 'content');
  if (content === undefined) return undefined;
  const before = readValue(parts, content);
  const after = truncateContent(before);
  if (after === before) return undefined;
  const block = new Splice(parts.line.slice(start, end));
  block.replace(content.start - start, content.end - start, toByteText(JSON.stringify(after)));
  if (parts.cuts !== undefined) {
    parts.cuts.results.set(number, textSize(after));
    parts.cuts.images += countImages(before) - countImages(after);
  }
  return block.toString();
}

/** The copy of the output beside the message. */
function shortenCopy(parts: LineParts, edit: LineEdit, resultsLeft: number): void {
  if (resultsLeft === 0) {
    removeTopMember(parts, COPIES.line);
    return;
  }
  if (edit.results !== 'truncate') return;
  const copy = changeValue(parts, findMember(parts.top, COPIES.line), truncateCopy);
  if (copy !== undefined && parts.cuts?.results.size === 0) parts.cuts.results.set(0, -1);
}
