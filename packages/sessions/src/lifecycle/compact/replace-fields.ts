/** Where the value of a top-level field stands in the text of a JSON object. */
type Place = { start: number; end: number; field: string };

/** A JSON text, or what makes it of the one that is there. */
export type FieldValue = string | ((json: string) => string);

/**
 * The JSON object with other values for some of its top-level fields, and otherwise the same text: numbers keep the
 * digits they were written with, and what we do not know stays as it is. A field that the object does not have is not
 * added.
 */
export function replaceTopLevelFields(json: string, values: ReadonlyMap<string, FieldValue>): string {
  let text = '';
  let at = 0;
  for (const { start, end, field } of listTopLevelValues(json)) {
    const value = values.get(field);
    if (value === undefined) continue;
    text += json.slice(at, start) + (typeof value === 'string' ? value : value(json.slice(start, end)));
    at = end;
  }
  return text + json.slice(at);
}

function listTopLevelValues(json: string): Place[] {
  const places: Place[] = [];
  let depth = 0;
  let field: string | undefined;
  let start = -1;
  const close = (end: number) => {
    if (field !== undefined && start >= 0) {
      const value = json.slice(start, end);
      places.push({ start, end: start + value.trimEnd().length, field });
    }
    field = undefined;
    start = -1;
  };
  for (let i = 0; i < json.length; i++) {
    const character = json[i];
    if (depth === 1 && field !== undefined && start < 0 && !/\s/.test(character!)) start = i;
    if (character === '"') {
      const end = endOfString(json, i);
      if (depth === 1 && field === undefined) {
        field = JSON.parse(json.slice(i, end)) as string;
        i = json.indexOf(':', end);
      } else i = end - 1;
    } else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      if (depth === 1) close(i);
      depth--;
    } else if (character === ',' && depth === 1) close(i);
  }
  return places;
}

/** Just behind the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    if (end < 0) return json.length;
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}
