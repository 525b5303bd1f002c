import type { ChatType } from '../message/chat-type.ts';

/** The message that a session began with. */
export type SessionOrigin = {
  /** Name of the conversation for people to read. */
  label?: string;
  /** The channel it came in by. */
  provider?: string;
  /** Where on that channel. */
  surface?: string;
  chatType?: ChatType;
  from?: string;
  to?: string;
  accountId?: string;
  threadId?: string | number;
};
