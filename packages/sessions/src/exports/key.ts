/** `@openbot/sessions/key`: session keys beyond the common ones in the index. */

// Build

export {
  type AgentPeerSessionKeyParams,
  buildCloneSessionKey,
  buildCronSessionKey,
  buildHookSessionKey,
  buildSubagentSessionKey,
  DM_SCOPES,
} from '../key/build.ts';
export { buildGroupHistoryKey } from '../key/group.ts';
export type { DmScope } from '../key/parsed-key.ts';
export { buildThreadSessionKey } from '../key/thread.ts';

// Parse and format

export { formatSessionKey } from '../key/format.ts';
export { type ParseSessionKeyOptions, parseSessionKey } from '../key/parse.ts';
export type { ParsedSessionKey } from '../key/parsed-key.ts';
export { parseThreadSessionSuffix } from '../key/thread.ts';

// Classify

export {
  classifySessionKeyShape,
  deriveChannelFromKey,
  deriveChatTypeFromKey,
  getSubagentDepth,
  isCronRunSessionKey,
  isCronSessionKey,
  isHookSessionKey,
  isSubagentSessionKey,
  isThreadSessionKey,
  resolveThreadRoot,
  type SessionKeyShape,
} from '../key/classify.ts';
export { isGroupMessage } from '../key/group.ts';

// Normalise and resolve

export type { GroupKeyResolution } from '../key/group.ts';
export { type IdentityLinks, resolveLinkedPeerId } from '../key/identity-links.ts';
export { isValidAgentId, normalizeAccountId, normalizeOptionalAccountId } from '../key/normalize.ts';
export { isEntryOf, type NormalizeId, type ReportedPerson, readEntryId } from '../key/person-entry.ts';
export {
  canonicalizeMainSessionAlias,
  resolveAgentIdFromSessionKey,
  type SessionScope,
  toAgentRequestSessionKey,
  toAgentStoreSessionKey,
} from '../key/resolve.ts';
export { canonicalizeSessionKey, listSessionKeySpellings } from '../key/spellings.ts';
export { resolveThreadParentSessionKey, resolveThreadSessionKeys } from '../key/thread.ts';
export { isGroupType, normalizeChatType } from '../message/chat-type.ts';
