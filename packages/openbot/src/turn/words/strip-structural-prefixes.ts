import { CURRENT_MESSAGE_MARKER, SENDER_META_PREFIX } from './markers.ts';

const MAX_LABELS = 4;
/** `[Dec 4 17:35] `, `[WhatsApp 120363@g.us 2026-01-13T07:45Z] `: a label with a time in it. */
const TIME_LABEL = /^[ \t]*\[(?=[^\]\n]{0,300}\d{1,2}:\d{2})[^\]\n]{1,300}\][ \t]*/;
const SENDER = /^[\p{L}\p{N}+()_. "'-]{1,64}:[ \t]+/u;

/**
 * The words of a message whose text came with structure around them: without what is in front of the current message,
 * time labels with the name behind them, and the line about the sender. For recognising commands; not for the agent.
 */
export function stripStructuralPrefixes(text: string): string {
  const marker = text.lastIndexOf(CURRENT_MESSAGE_MARKER);
  let rest = marker < 0 ? text : text.slice(marker + CURRENT_MESSAGE_MARKER.length).replace(/^\s*\n/, '');
  for (let labels = 0; labels < MAX_LABELS; labels++) {
    const label = TIME_LABEL.exec(rest);
    if (label === null) break;
    rest = rest.slice(label[0].length).replace(SENDER, '');
  }
  const meta = rest.lastIndexOf(`\n${SENDER_META_PREFIX}`);
  if (meta >= 0 && rest.indexOf('\n', meta + 1) < 0 && rest.trimEnd().endsWith(']'))
    rest = rest.slice(0, meta);
  return rest.trim();
}
