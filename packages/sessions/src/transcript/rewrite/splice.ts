import { isObjectAt, listMembers, skipSpace } from './json-text.ts';

/** Replaces parts of a text. Parts must not overlap; they may come in any order. */
export class Splice {
  readonly #text: string;
  readonly #parts: { start: number; end: number; text: string }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  replace(start: number, end: number, text: string): void {
    this.#parts.push({ start, end, text });
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  toString(): string {
    this.#parts.sort((a, b) => a.start - b.start);
    let text = '';
    let at = 0;
    for (const part of this.#parts) {
      text += this.#text.slice(at, part.start) + part.text;
      at = part.end;
    }
    return text + this.#text.slice(at);
  }
}

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

/**
 * A line as text of one character a byte (latin1). Taking it apart and putting it together again changes no byte, also
 * where the bytes are not valid UTF-8; what is put in must be in the same form.
 */
export function toByteText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function fromByteText(byteText: string): string {
  return Buffer.from(byteText, 'latin1').toString('utf8');
}

/** JSON in characters that mean the same in any form of text. */
export function asciiJson(value: string | number | object | null): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
