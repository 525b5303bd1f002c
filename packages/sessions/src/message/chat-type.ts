/** What kind of conversation a message belongs to, in the one spelling that is written. */
export type ChatType = 'direct' | 'group' | 'channel';

/** Several people read it. */
export function isGroupType(type: string | undefined): type is 'group' | 'channel' {
  return type === 'group' || type === 'channel';
}

/** Reads the spellings that are met (`dm`, Telegram's `supergroup`, any case); undefined for everything else. */
export function normalizeChatType(raw: unknown): ChatType | undefined {
  if (typeof raw !== 'string') return undefined;
  switch (raw.trim().toLowerCase()) {
    case 'direct':
    case 'dm':
      return 'direct';
    case 'group':
    case 'supergroup':
      return 'group';
    case 'channel':
      return 'channel';
    default:
      return undefined;
  }
}
