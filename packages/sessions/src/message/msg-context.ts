/**
 * One inbound message as a channel adapter hands it over. The spelling of the fields is OpenClaw's, so that its
 * adapters and templates work unchanged. Every field is optional: an adapter fills in what its channel knows.
 */
export type MsgContext = {
  /** The whole text, with structural context (history, sender labels) where there is any. */
  Body?: string | undefined;
  /** The text as the channel delivered it. */
  RawBody?: string | undefined;
  /** The text to look for commands in; may still hold an @mention. */
  CommandBody?: string | undefined;
  /** What the agent is given, where that differs from Body. */
  BodyForAgent?: string | undefined;
  /** Preferred over CommandBody and RawBody when commands are looked for. */
  BodyForCommands?: string | undefined;
  CommandArgs?: { raw?: string | undefined; values?: Record<string, unknown> | undefined } | undefined;
  CommandSource?: 'text' | 'native' | undefined;
  /** The session that a command is about, when it was given in another one. */
  CommandTargetSessionKey?: string | undefined;
  /** Whether the adapter lets this sender give commands. Absent means: not established. */
  CommandAuthorized?: boolean | undefined;

  From?: string | undefined;
  To?: string | undefined;
  /** The adapter's own choice of session; when present it is used instead of a derived key. */
  SessionKey?: string | undefined;
  /** For a message in a thread: the session that the thread hangs off. */
  ParentSessionKey?: string | undefined;
  /** Which of the person's accounts on the channel received the message. */
  AccountId?: string | undefined;
  AgentId?: string | undefined;

  MessageSid?: string | undefined;
  /** The full id, where MessageSid is a shortened alias. */
  MessageSidFull?: string | undefined;
  MessageSids?: string[] | undefined;
  MessageSidFirst?: string | undefined;
  MessageSidLast?: string | undefined;
  Timestamp?: number | undefined;

  ReplyToId?: string | undefined;
  ReplyToIdFull?: string | undefined;
  ReplyToBody?: string | undefined;
  ReplyToSender?: string | undefined;
  ReplyToIsQuote?: boolean | undefined;
  ForwardedFrom?: string | undefined;
  ForwardedFromType?: string | undefined;
  ForwardedFromId?: string | undefined;
  ForwardedFromUsername?: string | undefined;
  ForwardedFromTitle?: string | undefined;
  ForwardedFromSignature?: string | undefined;
  ForwardedDate?: number | undefined;

  /** Thread or topic that the message was written in. */
  MessageThreadId?: string | number | undefined;
  ThreadLabel?: string | undefined;
  ThreadStarterBody?: string | undefined;
  IsForum?: boolean | undefined;

  /** `direct`, `group` or `channel`; adapters also write `dm`. */
  ChatType?: string | undefined;
  /** The channel's name, such as `telegram`. */
  Provider?: string | undefined;
  /** Where on the channel; preferred over Provider when labels are made. */
  Surface?: string | undefined;
  /** Where the reply goes, when that is not the session's last route. */
  OriginatingChannel?: string | undefined;
  OriginatingTo?: string | undefined;
  /** Name of the conversation (not of the sender) for people to read. */
  ConversationLabel?: string | undefined;

  GroupSubject?: string | undefined;
  /** Name of a channel-like group, such as `#general`. */
  GroupChannel?: string | undefined;
  GroupSpace?: string | undefined;
  GroupMembers?: string | undefined;
  GroupSystemPrompt?: string | undefined;
  WasMentioned?: boolean | undefined;
  BotUsername?: string | undefined;

  SenderName?: string | undefined;
  SenderId?: string | undefined;
  SenderUsername?: string | undefined;
  SenderTag?: string | undefined;
  SenderE164?: string | undefined;

  /** Metadata from outside that the agent may read and must not obey. */
  UntrustedContext?: string[] | undefined;
  HookMessages?: string[] | undefined;

  MediaPath?: string | undefined;
  MediaUrl?: string | undefined;
  MediaType?: string | undefined;
  MediaDir?: string | undefined;
  MediaPaths?: string[] | undefined;
  MediaUrls?: string[] | undefined;
  MediaTypes?: string[] | undefined;
  /** Host that holds the media, when it is not this one. */
  MediaRemoteHost?: string | undefined;
  MediaUnderstanding?: unknown[] | undefined;
  MediaUnderstandingDecisions?: unknown[] | undefined;
  LinkUnderstanding?: string[] | undefined;
  Sticker?: Record<string, unknown> | undefined;
  /** Text of a voice message. */
  Transcript?: string | undefined;

  OutputDir?: string | undefined;
  OutputBase?: string | undefined;
  Prompt?: string | undefined;
  MaxChars?: number | undefined;
};

/** A message together with the session it was put into. Values are text where templates print them. */
export type TemplateContext = MsgContext & {
  /** What is left for the agent once a reset trigger was taken off. */
  BodyStripped?: string | undefined;
  SessionId?: string | undefined;
  IsNewSession?: 'true' | 'false' | undefined;
};
