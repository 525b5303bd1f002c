import type { ChatType } from '../message/chat-type.ts';

/** The message that a session began with. */
export type SessionOrigin = {
  /** Name of the conversation for people to read. */
  label?: string | undefined;
  /** The channel it came in by. */
  provider?: string | undefined;
  /** Where on that channel. */
  surface?: string | undefined;
  chatType?: ChatType | undefined;
  from?: string | undefined;
  to?: string | undefined;
  accountId?: string | undefined;
  threadId?: string | number | undefined;
};
