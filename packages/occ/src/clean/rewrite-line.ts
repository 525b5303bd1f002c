import {
  findMember,
  isObjectAt,
  listMembers,
  lowerUsage,
  type MemberSpan,
  Splice,
  seekArray,
  seekMembers,
  skipSpace,
} from '@openbot/sessions/rewrite';
import type { DialectName } from '@openbot/sessions/transcript';
import type { Cuts, LineEdit } from './line-edit.ts';
import { rewriteClaudeCodeContent } from './lines/rewrite-claude-code.ts';
import { rewriteOpenClawContent } from './lines/rewrite-openclaw.ts';

/**
 * The line with what an edit changes, and otherwise byte for byte as it was.
 * @param given one character a byte (see toByteText); valid JSON
 * @param cuts receives what was shortened
 */
export function rewriteLine(given: string, edit: LineEdit, dialect: DialectName, cuts?: Cuts): string {
  const line = edit.begun ?? given;
  const start = skipSpace(line, 0);
  if (!isObjectAt(line, start)) return line;
  const sought = seekContent(line, start, edit, dialect);
  const top =
    sought?.top ??
    ((isRelinkOnly(edit) && seekMembers(line, start, [...edit.fields.keys()])) ||
      listMembers(line, start, 'message'));
  const splice = new Splice(line);
  for (const { key, start: from, end } of top) {
    const value = edit.fields?.get(key);
    if (value === undefined) continue;
    splice.replace(from, end, typeof value === 'string' ? value : value(line.slice(from, end)));
  }
  if (isRelinkOnly(edit)) return splice.toString();
  if (edit.ownFields !== undefined) setFields(line, top, edit.ownFields, splice);
  const message = sought?.members ?? messageOf(line, top);
  const rewriteContent = dialect === 'claude-code' ? rewriteClaudeCodeContent : rewriteOpenClawContent;
  rewriteContent({ line, top, message, splice, cuts }, edit);
  const usage = findMember(message, 'usage');
  if (edit.contextTokens !== undefined && usage !== undefined) {
    const lowered = lowerUsage(line.slice(usage.start, usage.end), edit.contextTokens, dialect);
    splice.replace(usage.start, usage.end, lowered);
  }
  return splice.isEmpty ? line : splice.toString();
}

/** Most lines only get another parent, a member near their beginning. */
function isRelinkOnly(edit: LineEdit): edit is LineEdit & { fields: NonNullable<LineEdit['fields']> } {
  const { fields, calls, results, outputs, dropThinking, contextTokens, ownFields } = edit;
  const isMore = calls ?? results ?? outputs ?? dropThinking ?? contextTokens ?? ownFields;
  return fields !== undefined && isMore === undefined;
}

/** Lines of OpenClaw's that only lose blocks of their content. What is behind it is not read. */
function seekContent(line: string, start: number, edit: LineEdit, dialect: DialectName) {
  const { fields, calls, results, outputs, dropThinking, contextTokens, ownFields } = edit;
  if (dialect !== 'openclaw' || (calls === undefined && !dropThinking)) return undefined;
  const isMore = (results !== undefined && results !== 'remove') || outputs !== undefined;
  if (isMore || contextTokens !== undefined || ownFields !== undefined) return undefined;
  return seekArray(line, start, fields === undefined ? [] : [...fields.keys()], 'message', 'content');
}

/** The members of the message: under `message`, or the line's own where the line is the message. */
export function messageOf(line: string, top: readonly MemberSpan[]): readonly MemberSpan[] {
  const message = findMember(top, 'message');
  if (message === undefined || !isObjectAt(line, message.start)) return top;
  return message.members ?? listMembers(line, message.start);
}

function setFields(
  line: string,
  top: readonly MemberSpan[],
  fields: ReadonlyMap<string, string>,
  splice: Splice,
): void {
  const added: string[] = [];
  for (const [key, json] of fields) {
    const member = findMember(top, key);
    if (member === undefined) added.push(`${JSON.stringify(key)}:${json}`);
    else splice.replace(member.start, member.end, json);
  }
  const end = line.lastIndexOf('}');
  if (added.length > 0) splice.replace(end, end, `${top.length === 0 ? '' : ','}${added.join(',')}`);
}
