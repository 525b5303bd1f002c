import { isKeyText } from '../key/key-text.ts';

export const SESSION_LABEL_MAX_LENGTH = 64;

type ParsedSessionLabel = { ok: true; label: string } | { ok: false; error: string };

/** A name that a person gives to a session: one line, trimmed, at most 64 characters (an emoji is one). */
export function parseSessionLabel(raw: unknown): ParsedSessionLabel {
  if (typeof raw !== 'string') return { ok: false, error: 'invalid label: must be text' };
  const label = raw.trim();
  if (label === '') return { ok: false, error: 'invalid label: empty' };
  // Listings show labels beside keys, so a label follows the same rules.
  if (!isKeyText(label)) {
    return { ok: false, error: 'invalid label: no line ends or control characters' };
  }
  // Length first: a label of megabytes is not spread into an array.
  if (label.length > 2 * SESSION_LABEL_MAX_LENGTH || [...label].length > SESSION_LABEL_MAX_LENGTH) {
    return { ok: false, error: `invalid label: longer than ${SESSION_LABEL_MAX_LENGTH} characters` };
  }
  return { ok: true, label };
}
