import { findMember, isArrayAt, isObjectAt, isStringAt, listMembers, type MemberSpan } from './json-text.ts';
import { asciiJson, Splice } from './splice.ts';

/**
 * A Claude Code compaction names the older messages that it keeps: one by one, or, in older files, as a stretch from head
 * to tail. A single name that leads nowhere makes Claude Code lose all of them, so those that are gone leave the list, and
 * the stretch ends at those that are left.
 * @param json the text of `compactMetadata`
 * @param stretch the ids from head to tail
 * @param anchor what the kept messages follow, where that must change
 */
export function withoutPreserved(
  json: string,
  isGone: (id: string) => boolean,
  stretch: (head: string, tail: string) => readonly string[],
  anchor: string | undefined,
): string {
  if (!isObjectAt(json, 0)) return json;
  const splice = new Splice(json);
  const top = listMembers(json, 0);
  const messages = membersOf(json, findMember(top, 'preservedMessages'));
  for (const key of ['uuids', 'allUuids']) shortenList(json, findMember(messages, key), isGone, splice);
  replaceText(json, findMember(messages, 'anchorUuid'), anchor, splice);
  shortenStretch(json, top, { isGone, stretch, anchor }, splice);
  return splice.toString();
}

function shortenList(
  json: string,
  list: MemberSpan | undefined,
  isGone: (id: string) => boolean,
  splice: Splice,
): void {
  if (list === undefined || !isArrayAt(json, list.start)) return;
  const ids = JSON.parse(json.slice(list.start, list.end)) as unknown[];
  const left = ids.filter((id) => typeof id === 'string' && !isGone(id)) as string[];
  if (left.length < ids.length) splice.replace(list.start, list.end, `[${left.map(asciiJson).join(',')}]`);
}

function shortenStretch(
  json: string,
  top: readonly MemberSpan[],
  to: {
    isGone: (id: string) => boolean;
    stretch: (head: string, tail: string) => readonly string[];
    anchor: string | undefined;
  },
  splice: Splice,
): void {
  const at = top.findLastIndex(({ key }) => key === 'preservedSegment');
  const segment = membersOf(json, top[at]);
  const head = readText(json, findMember(segment, 'headUuid'));
  const tail = readText(json, findMember(segment, 'tailUuid'));
  const ids = head === undefined || tail === undefined ? [] : to.stretch(head, tail);
  const left = ids.filter((id) => !to.isGone(id));
  if (ids.length > 0 && left.length === 0) {
    const [place, before, next] = [top[at]!, top[at - 1], top[at + 1]];
    if (findMember(top, 'preservedMessages') === undefined) {
      // That nothing is left is not that nothing was said: then all lines before the compaction could be reached again.
      const anchor = to.anchor ?? readText(json, findMember(segment, 'anchorUuid')) ?? null;
      const empty = `{"anchorUuid":${asciiJson(anchor)},"uuids":[],"allUuids":[]}`;
      splice.replace(place.keyStart, place.end, `"preservedMessages":${empty}`);
    } else if (next !== undefined) splice.replace(place.keyStart, next.keyStart, '');
    else splice.replace(before?.end ?? place.keyStart, place.end, '');
    return;
  }
  if (left[0] !== ids[0]) replaceText(json, findMember(segment, 'headUuid'), left[0], splice);
  if (left.at(-1) !== ids.at(-1)) replaceText(json, findMember(segment, 'tailUuid'), left.at(-1), splice);
  replaceText(json, findMember(segment, 'anchorUuid'), to.anchor, splice);
}

function membersOf(json: string, member: MemberSpan | undefined): MemberSpan[] {
  return member !== undefined && isObjectAt(json, member.start) ? listMembers(json, member.start) : [];
}

function readText(json: string, member: MemberSpan | undefined): string | undefined {
  if (member === undefined || !isStringAt(json, member.start)) return undefined;
  return JSON.parse(json.slice(member.start, member.end)) as string;
}

function replaceText(
  json: string,
  member: MemberSpan | undefined,
  text: string | undefined,
  splice: Splice,
): void {
  if (text === undefined || readText(json, member) === undefined) return;
  splice.replace(member!.start, member!.end, asciiJson(text));
}
