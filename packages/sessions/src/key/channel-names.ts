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
