import { isObjectAt, listMembers, skipSpace } from './json-text.ts';
import { Splice } from './splice.ts';

/** A JSON text, or what makes it of the one that is there. */
export type FieldValue = string | ((json: string) => string);

/**
 * The JSON object with other values for some of its top-level fields, and otherwise the same text: numbers keep the
 * digits they were written with, and what we do not know stays as it is. A field that the object does not have is not
 * added.
 */
export function replaceTopLevelFields(json: string, values: ReadonlyMap<string, FieldValue>): string {
  const start = skipSpace(json, 0);
  if (!isObjectAt(json, start)) return json;
  const splice = new Splice(json);
  for (const member of listMembers(json, start)) {
    const value = values.get(member.key);
    if (value === undefined) continue;
    const text = typeof value === 'string' ? value : value(json.slice(member.start, member.end));
    splice.replace(member.start, member.end, text);
  }
  return splice.toString();
}
