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
