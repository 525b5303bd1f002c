/** `openbot`: the steps of a turn, for programs that run turns of their own. */
export { type ChatType, type MsgContext, OpenBotError, type SessionSkillSnapshot } from '@openbot/sessions';
export type { BotConfig } from './config/bot-config.ts';
export type { SystemEvent } from './inbox/contract.ts';
export { ensureSkillSnapshot, prependSystemEvents } from './library.ts';
export { buildHistoryContextFromMap } from './turn/history/build-history-context.ts';
export {
  appendHistoryEntry,
  clearHistoryEntries,
  DEFAULT_GROUP_HISTORY_LIMIT,
  evictOldHistoryKeys,
  type HistoryEntry,
  MAX_HISTORY_KEYS,
} from './turn/history/history-entries.ts';
export { appendUntrustedContext } from './turn/inbound/append-untrusted-context.ts';
export { type FinalizedContext, finalizeInboundContext } from './turn/inbound/finalize-inbound-context.ts';
export { formatInboundBodyWithSenderMeta } from './turn/inbound/format-inbound-body-with-sender-meta.ts';
export type { SkillProblem } from './turn/skills/skill.ts';
export { guardText } from './turn/words/guard-text.ts';
