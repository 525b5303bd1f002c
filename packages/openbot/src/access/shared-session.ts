import { deriveChatTypeFromKey, isGroupType } from '@openbot/sessions/key';

/** A session with this key is one of a group, or with `session.scope: global` that of everybody. */
export function isSharedKey(key: string): boolean {
  return key === 'global' || isGroupType(deriveChatTypeFromKey(key));
}

/** Several people read the conversation: nothing private may get into it, also where its owner alone writes now. */
export function isSharedSession(session: {
  readonly sessionKey: string;
  readonly entry: { readonly chatType?: string };
  /** The message comes from a group. */
  readonly isGroup: boolean;
}): boolean {
  return session.isGroup || isSharedKey(session.sessionKey) || isGroupType(session.entry.chatType);
}
