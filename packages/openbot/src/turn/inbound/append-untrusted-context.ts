import { guardText } from '../words/guard-text.ts';
import { UNTRUSTED_CONTEXT_HEADER } from '../words/markers.ts';
import { normalizeInboundTextNewlines } from '../words/normalize-inbound-text-newlines.ts';

/** Appends metadata from outside under a header that tells the model not to obey it. */
export function appendUntrustedContext(base: string, untrusted?: readonly string[]): string {
  const entries = (untrusted ?? [])
    .filter((entry) => typeof entry === 'string' && entry.trim() !== '')
    .map((entry) => guardText(normalizeInboundTextNewlines(entry)));
  if (entries.length === 0) return base;
  const block = [UNTRUSTED_CONTEXT_HEADER, ...entries].join('\n');
  return base === '' ? block : `${base}\n\n${block}`;
}
