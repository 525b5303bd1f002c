import { guardText } from '../words/guard-text.ts';
import { formatSenderId, formatSenderName } from '../words/sender-label.ts';

/** Of channels whose name is not the id with a capital letter. */
const CHANNEL_LABELS: Readonly<Record<string, string>> = {
  whatsapp: 'WhatsApp',
  imessage: 'iMessage',
  msteams: 'Teams',
  googlechat: 'Google Chat',
  webchat: 'WebChat',
};

export interface Envelope {
  readonly channel: string;
  /** The group, in the words of the channel. */
  readonly conversation: string;
  readonly sender: string;
  /** ms */
  readonly timestamp?: number;
}

/**
 * One message of a group: `[WhatsApp 120363@g.us 2026-01-13T07:45Z] Alice: hello`. The words of the sender are guarded
 * here; the sender's first line follows the label, so only the others could imitate one.
 */
export function formatEnvelope(envelope: Envelope, body: string): string {
  return `${formatLabel(envelope)} ${guardText(`${formatSenderName(envelope.sender)}: ${body}`)}`;
}

function formatLabel({ channel, conversation, timestamp }: Envelope): string {
  const name = CHANNEL_LABELS[channel.toLowerCase()] ?? channel.slice(0, 1).toUpperCase() + channel.slice(1);
  const time = formatMinute(timestamp);
  const words = [name, conversation].map((word) => formatSenderId(word));
  return `[${[...words, ...(time === undefined ? [] : [time])].filter((word) => word !== '').join(' ')}]`;
}

/** `2026-01-13T07:45Z` */
function formatMinute(at: number | undefined): string | undefined {
  if (at === undefined || !(Math.abs(at) <= 8.64e15)) return undefined;
  return `${new Date(at).toISOString().slice(0, -8)}Z`;
}
