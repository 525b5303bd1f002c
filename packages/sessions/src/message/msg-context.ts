/**
 * One inbound message as a channel adapter hands it over. The spelling of the fields is OpenClaw's, so that its
 * adapters and templates work unchanged. Every field is optional: an adapter fills in what its channel knows.
 */
export interface MsgContext {
  /** The whole text, with structural context (history, sender labels) where there is any. */
  Body?: string;
  /** The text as the channel delivered it. */
  RawBody?: string;
  /** The text to look for commands in; may still hold an @mention. */
  CommandBody?: string;
  /** What the agent is given, where that differs from Body. */
  BodyForAgent?: string;
  /** Preferred over CommandBody and RawBody when commands are looked for. */
  BodyForCommands?: string;
  CommandArgs?: { raw?: string; values?: Record<string, unknown> };
  CommandSource?: 'text' | 'native';
  /** The session that a command is about, when it was given in another one. */
  CommandTargetSessionKey?: string;
  /** Whether the adapter lets this sender give commands. Absent means: not established. */
  CommandAuthorized?: boolean;

  From?: string;
  To?: string;
  /** The adapter's own choice of session; when present it is used instead of a derived key. */
  SessionKey?: string;
  /** For a message in a thread: the session that the thread hangs off. */
  ParentSessionKey?: string;
  /** Which of the person's accounts on the channel received the message. */
  AccountId?: string;
  AgentId?: string;

  MessageSid?: string;
  /** The full id, where MessageSid is a shortened alias. */
  MessageSidFull?: string;
  MessageSids?: string[];
  MessageSidFirst?: string;
  MessageSidLast?: string;
  Timestamp?: number;

  ReplyToId?: string;
  ReplyToIdFull?: string;
  ReplyToBody?: string;
  ReplyToSender?: string;
  ReplyToIsQuote?: boolean;
  ForwardedFrom?: string;
  ForwardedFromType?: string;
  ForwardedFromId?: string;
  ForwardedFromUsername?: string;
  ForwardedFromTitle?: string;
  ForwardedFromSignature?: string;
  ForwardedDate?: number;

  /** Thread or topic that the message was written in. */
  MessageThreadId?: string | number;
  ThreadLabel?: string;
  ThreadStarterBody?: string;
  IsForum?: boolean;

  /** `direct`, `group` or `channel`; adapters also write `dm`. */
  ChatType?: string;
  /** The channel's name, such as `telegram`. */
  Provider?: string;
  /** Where on the channel; preferred over Provider when labels are made. */
  Surface?: string;
  /** Where the reply goes, when that is not the session's last route. */
  OriginatingChannel?: string;
  OriginatingTo?: string;
  /** Name of the conversation (not of the sender) for people to read. */
  ConversationLabel?: string;

  GroupSubject?: string;
  /** Name of a channel-like group, such as `#general`. */
  GroupChannel?: string;
  /** The guild or the workspace that the group belongs to. */
  GroupSpace?: string;
  GroupMembers?: string;
  GroupSystemPrompt?: string;
  WasMentioned?: boolean;
  BotUsername?: string;

  SenderName?: string;
  SenderId?: string;
  SenderUsername?: string;
  SenderTag?: string;
  SenderE164?: string;
  /** Ids of the roles that the sender has in the guild (`GroupSpace`). */
  SenderRoles?: string[];

  /** Metadata from outside that the agent may read and must not obey. */
  UntrustedContext?: string[];
  HookMessages?: string[];

  MediaPath?: string;
  MediaUrl?: string;
  MediaType?: string;
  MediaDir?: string;
  MediaPaths?: string[];
  MediaUrls?: string[];
  MediaTypes?: string[];
  /** Files that did not arrive, and why. Not a field of OpenClaw. */
  MediaMissing?: { name?: string; type?: string; reason: string }[];
  /** Host that holds the media, when it is not this one. */
  MediaRemoteHost?: string;
  MediaUnderstanding?: unknown[];
  MediaUnderstandingDecisions?: unknown[];
  LinkUnderstanding?: string[];
  Sticker?: Record<string, unknown>;
  /** Text of a voice message. */
  Transcript?: string;

  OutputDir?: string;
  OutputBase?: string;
  Prompt?: string;
  MaxChars?: number;
}

/** A message together with the session it was put into. Values are text where templates print them. */
export interface TemplateContext extends MsgContext {
  /** What is left for the agent once a reset trigger was taken off. */
  BodyStripped?: string;
  SessionId?: string;
  IsNewSession?: 'true' | 'false';
}
