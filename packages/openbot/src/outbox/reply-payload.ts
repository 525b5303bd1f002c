/** One message to a person, as a channel gets it. The spelling of the fields is OpenClaw's. */
export interface ReplyPayload {
  text?: string;
  mediaUrl?: string;
  mediaUrls?: string[];
  /** The message that this one answers. */
  replyToId?: string;
  replyToTag?: boolean;
  /** Answers the message that began the turn. */
  replyToCurrent?: boolean;
  /** Audio is sent as a voice message. */
  audioAsVoice?: boolean;
  isError?: boolean;
  /** Asks for a permission. A person answers it by a message that names the id, or by a reply. */
  question?: { readonly id: string; readonly turnId: string };
  /** For one channel only, in its own words. */
  channelData?: Record<string, unknown>;
}
