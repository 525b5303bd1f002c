/**
 * Text from outside (labels, tool names, paths) as it may be sent to a terminal: control characters could move the
 * cursor, recolour or rename the window.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '�');
}
