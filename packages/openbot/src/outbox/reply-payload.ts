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
  question?: AskedQuestion;
  /** Shown while the turn goes on; its first reply takes the place. Never sent a second time. */
  draft?: true;
  /** For one channel only, in its own words. */
  channelData?: Record<string, unknown>;
}

/** What a message to this channel has of them: data of others would have no effect there. */
export function pickChannelData(
  data: ReplyPayload['channelData'],
  channel: string,
): Pick<ReplyPayload, 'channelData'> {
  return data !== undefined && Object.hasOwn(data, channel)
    ? { channelData: { [channel]: data[channel] } }
    : {};
}

/** Whether a person sees nothing of it where its media, if it has any, cannot be sent. */
export function hasNothingButMedia({
  text,
  channelData,
}: Pick<ReplyPayload, 'text' | 'channelData'>): boolean {
  return !text?.trim() && channelData === undefined;
}

export interface AskedQuestion {
  readonly id: string;
  readonly turnId: string;
  /**
   * For networks with buttons. One that is pressed arrives as a message of its person with the word, and with the id of
   * the question's message in `ReplyToId`: whether that person may answer is decided as for one that is written.
   */
  readonly answers: readonly { readonly word: string; readonly label: string }[];
}
