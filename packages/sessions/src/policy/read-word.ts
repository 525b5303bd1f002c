/** A word of a configuration or a command, trimmed and in lower case; '' for what is no text. */
export function readWord(raw: unknown): string {
  return typeof raw === 'string' ? raw.trim().toLowerCase() : '';
}
