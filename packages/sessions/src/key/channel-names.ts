/** Channels whose name in front of an address (`telegram:-100123`) is not part of the id. */
export const CHANNELS: ReadonlySet<string> = new Set([
  'bluebubbles',
  'discord',
  'feishu',
  'googlechat',
  'imessage',
  'irc',
  'line',
  'matrix',
  'mattermost',
  'msteams',
  'nextcloud-talk',
  'nostr',
  'signal',
  'slack',
  'telegram',
  'tlon',
  'twitch',
  'webchat',
  'whatsapp',
  'zalo',
  'zalouser',
]);

/** Of OpenBot; OpenClaw has none of these. */
const OWN_CHANNELS: ReadonlySet<string> = new Set(['cli', 'webhook']);

/** Whether a word in front of an id can be the channel that the id is of. Any other is part of the id: `crm:42`. */
export function isChannelName(word: string): boolean {
  return CHANNELS.has(word) || OWN_CHANNELS.has(word);
}

/** Networks of OpenClaw on which no two ids differ by case alone. */
const CASELESS: ReadonlySet<string> = new Set(['irc', 'line', 'mattermost', 'slack', 'twitch']);

/** The country in front of a user id (`US.1349`), which has no other case, and the ids of groups. */
const WHATSAPP_CASELESS = /^[A-Z]{2}(?=\.)|^[\d-]+@[Gg]\.[Uu][Ss]$/;

/**
 * An id as keys have it. OpenClaw's are in lower case, also on networks where two people can have ids that differ by it
 * (Matrix, webhooks): there the id stays as it is.
 */
export function foldIdCase(channel: string | undefined, id: string): string {
  if (channel === 'whatsapp') return id.replace(WHATSAPP_CASELESS, (text) => text.toLowerCase());
  return channel !== undefined && CASELESS.has(channel) ? id.toLowerCase() : id;
}
