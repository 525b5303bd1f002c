import {
  findMember,
  isArrayAt,
  isObjectAt,
  isStringAt,
  listElements,
  listMembers,
  skipSpace,
} from '@openbot/sessions/rewrite';

/** Whether a message's line says nothing: no blocks, or only blank text. */
export function isNothingLeft(line: string): boolean {
  const top = listMembers(line, skipSpace(line, 0));
  const message = findMember(top, 'message');
  const members =
    message !== undefined && isObjectAt(line, message.start) ? listMembers(line, message.start) : top;
  const content = findMember(members, 'content');
  if (content === undefined) return false;
  if (isStringAt(line, content.start)) return isBlank(line.slice(content.start, content.end));
  if (!isArrayAt(line, content.start)) return false;
  return listElements(line, content.start).every(({ start }) => {
    const block = isObjectAt(line, start) ? listMembers(line, start) : [];
    const type = findMember(block, 'type');
    const text = findMember(block, 'text');
    return (
      type !== undefined &&
      JSON.parse(line.slice(type.start, type.end)) === 'text' &&
      text !== undefined &&
      isBlank(line.slice(text.start, text.end))
    );
  });
}

function isBlank(json: string): boolean {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' && value.trim() === '';
}
