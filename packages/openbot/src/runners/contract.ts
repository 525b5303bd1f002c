import type { SessionSystemPromptReport } from '@openbot/sessions';
import type { EntryDraft } from '@openbot/sessions/transcript';
import type { PromptImage } from '../media/read-image.ts';
import type { Permission, PermissionRequest } from '../permissions/contract.ts';
import type { RunTools, SentByTool } from '../tools/contract.ts';
import type { AppendedEntry, ContextMessage, LookBack, TranscriptRef } from '../transcripts/contract.ts';

export type { Permission, PermissionRequest };

/** In the words of OpenClaw and pi. `input` is what was not read from a cache. */
export interface RunUsage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** Why a run was aborted. `abortReason` of abort.ts makes the reason of a signal from it. */
export type AbortCause = 'person' | 'interrupt' | 'timeout' | 'shutdown';

export type RunEnd =
  | { readonly type: 'end'; readonly reason: 'stop' }
  /** By the signal of the request. `runWithLimits` adds the cause. */
  | { readonly type: 'end'; readonly reason: 'aborted'; readonly cause?: AbortCause }
  /** The conversation does not fit into the model's window. */
  | {
      readonly type: 'end';
      readonly reason: 'overflow';
      readonly error: string;
      readonly hint?: string;
      /** No model has refused it: the runner would have compacted, and `whenFull` was `stop`. */
      readonly isEarly?: true;
    }
  | {
      readonly type: 'end';
      readonly reason: 'error';
      readonly error: string;
      /** What a person should do about it: set a key, choose another model. */
      readonly hint?: string;
      /** The same request may succeed later. */
      readonly isTransient: boolean;
      /** Why the provider refused; another model may answer where it is given. */
      readonly failure?: ModelFailure;
      /** The error tells of several models, each with its reason. */
      readonly hasSummary?: true;
      /** How long the provider asks to wait. */
      readonly retryAfterMs?: number;
      /** No model can be reached at present, and one of them may answer later. Given by the failover. */
      readonly outage?: Outage;
    };

export interface Outage {
  /** `provider/model` of those that may answer later. */
  readonly models: readonly string[];
  /** `far/m cannot be reached`, for people. */
  readonly summary: string;
}

/** `unauthorised` has no usable key, `exhausted` no credit; `unreachable` gives no answer at all. */
export const MODEL_FAILURES = [
  'overloaded',
  'rate-limited',
  'unauthorised',
  'exhausted',
  'unreachable',
] as const;

export type ModelFailure = (typeof MODEL_FAILURES)[number];

export type RunEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'thinking'; readonly delta: string }
  /** The model finished one message; text after it belongs to the next one. */
  | { readonly type: 'message-end'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'tool-result';
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
    }
  /** Of one request to the model. The last one tells how full the context is. */
  | { readonly type: 'usage'; readonly usage: RunUsage }
  | { readonly type: 'compaction'; readonly phase: 'start' }
  | {
      readonly type: 'compaction';
      readonly phase: 'end';
      /** The compaction did not succeed and is tried again; it does not count. */
      readonly willRetry: boolean;
      readonly tokensAfter?: number;
    }
  /** Old tool calls were removed from the transcript because the conversation had become too long for the model. */
  | { readonly type: 'cleaned'; readonly savedTokens: number }
  /** The provider left out thinking of a request, because what came before it has changed since. */
  | {
      readonly type: 'thinking-dropped';
      /** `provider/model` */
      readonly by: string;
      /** Where the blocks were in the request: `messages.1.content.0`. */
      readonly paths: readonly string[];
    }
  /** A message that was given to `steer` is now part of the conversation and in the transcript. */
  | { readonly type: 'steered'; readonly messageId: string }
  /** The model failed, and another one goes on. What it was saying is not finished. */
  | {
      readonly type: 'gave-way';
      /** `provider/model` */
      readonly from: string;
      readonly to: string;
      readonly failure: ModelFailure;
    }
  /** After the result of a tool that sent something to a person by itself. */
  | ({ readonly type: 'sent' } & SentByTool)
  | RunEnd;

export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
  /** Tokens; undefined when it is not known. */
  readonly contextWindow?: number;
  /** It reads images. */
  readonly seesImages?: boolean;
}

export type WhenFull = 'compact' | 'go-on' | 'stop';

export interface SystemPrompt {
  readonly text: string;
  readonly report: SessionSystemPromptReport;
}

export interface RunRequest {
  readonly transcript: TranscriptRef;
  /** Appends to the transcript of this run. Fails once the run lock is lost. */
  append(drafts: readonly EntryDraft[]): Promise<readonly AppendedEntry[]>;
  /** As Transcripts.readContext, of the transcript of this run: reads all of it. */
  readContext(): Promise<readonly ContextMessage[]>;
  /** As Transcripts.lookBack, of the transcript of this run: cheap. */
  lookBack(): Promise<LookBack>;
  /** As Transcripts.measureContext, of the transcript of this run: cheap. */
  measureContext(): Promise<number>;
  readonly model: ModelChoice;
  /** Another model is asked if this one fails: it should not wait for long. */
  readonly hasSuccessor?: boolean;
  readonly thinkingLevel?: string;
  /** `reserveTokensFloor` of the configuration: tokens of the window that are free at least when the runner compacts by itself. */
  readonly reserveTokens?: number;
  /**
   * Asked where the runner would compact by itself; `compact` when absent. With `stop` the run ends with an `overflow` that
   * `isEarly`, unless its last answer is whole: then nothing is done.
   */
  readonly whenFull?: () => WhenFull;
  readonly systemPrompt: SystemPrompt;
  /** Prompt and tools of the requests from now on: others than before after a compaction. */
  renewPrefix?(): Pick<RunRequest, 'systemPrompt' | 'tools' | 'ownTools'>;
  /** The last message of the person. It is already the last message in the transcript. Empty for a compaction between two turns. */
  readonly prompt: string;
  /** Of that message, which has them in the transcript too. Only where the model sees images. */
  readonly images?: readonly PromptImage[];
  /** Of a compaction: what the person wants of the summary. */
  readonly instructions?: string;
  /** The folder that the agent works in. `tools` are confined to it. */
  readonly workspaceDir: string;
  /** Absolute. The agent can also read there: the folders of skills. */
  readonly readableDirs?: readonly string[];
  readonly tools: RunTools;
  /** The tools of the runner's own program that the conversation began with. */
  readonly ownTools?: OwnSettings['tools'];
  readonly ownSession: OwnSession;
  /** Nothing of the run is wanted later: the runner's own program keeps no session of it. */
  readonly keepsNothing?: true;
  /**
   * Asks whether a tool of the runner's own program may be used: rules, then a person, who may take minutes. Never rejects.
   * `tools` ask by themselves.
   */
  permit(request: PermissionRequest, signal: AbortSignal): Promise<Permission>;
  /** Why a rule forbids a use of a tool of the runner's own program, also one that the program would not ask about. */
  findDenial?(use: Pick<PermissionRequest, 'toolName' | 'arguments'>): Promise<string | undefined>;
  /** Rules in Claude Code's syntax for the files that such a program must leave out when it searches. */
  readonly unreadable?: readonly string[];
  readonly signal: AbortSignal;
}

/** Settings of the runner's own program that change what the model is told. */
export interface OwnSettings {
  /** The program's own tools that the model is told of. */
  readonly tools: readonly string[] | 'all';
  readonly mode?: string;
}

/** The session of the runner's own program that has this conversation, for runners that have one. */
export interface OwnSession {
  /** Undefined in a new session, and after a reset. */
  readonly id: string | undefined;
  /** Keeps it in the entry of the session. Undefined forgets it. */
  save(id: string | undefined): Promise<void>;
}

/**
 * One execution of the agent. The runner appends what the model and its tools say to the transcript, as they say it: a
 * message is in the transcript before its `message-end`, a call before its tool starts.
 */
export interface Run {
  /**
   * Iterated once. The last event is `end`. Must not throw for failures of a request, a model or a tool: they are events.
   * Ends soon after the signal aborts, with every call in the transcript answered. Ends with `aborted` then, unless the
   * last answer is already whole in the transcript.
   */
  readonly events: AsyncIterable<RunEvent>;
  /**
   * A message that arrives during the run. True when the run reads it before it stops: a `steered` event then follows,
   * and the runner has written mark and message to the transcript. False when it cannot any more. A run that is aborted
   * or fails may end without it: only `steered` says that the message was read, and without that it is still waiting.
   */
  steer(message: {
    readonly messageId: string;
    readonly text: string;
    readonly images?: readonly PromptImage[];
    readonly mark: EntryDraft;
  }): boolean;
}

/** What people are shown of a model. No run needs it. */
export interface ModelFacts {
  /** Tokens. */
  readonly contextWindow?: number;
  /** Dollars for a million tokens. */
  readonly cost?: { readonly input: number; readonly output: number };
  /** Of its provider. `unneeded`: it asks for none; `unknown`: only a request tells. */
  readonly credential: 'present' | 'missing' | 'unneeded' | 'unknown';
  /** Where the credential was found, such as the name of a variable, or how to set it. Never its value. */
  readonly credentialHint?: string;
  /** `apiKey` of its provider in the configuration can be the credential. */
  readonly takesKey?: true;
}

/** Runs an agent with the models of some provider. */
export interface Runner {
  readonly name: string;
  /** Undefined when this runner has no such model; an error event of the run explains everything else. */
  describeModel(provider: string, model: string): ModelChoice | undefined;
  /** Asks no provider. Absent, and undefined, where `describeModel` says all that is known. */
  inspectModel?(provider: string, model: string): Promise<ModelFacts | undefined>;
  /** Those that it knows by name; others may work too. */
  listModels?(): readonly { readonly provider: string; readonly model: string }[];
  /** As the configuration has them now. Absent for a runner without a program of its own. */
  ownSettings?(agentId: string): OwnSettings;
  /** The prompt and the tools take nothing of its window. */
  readonly readsNoPrefix?: true;
  /**
   * With more tokens than this the runner compacts by itself. Absent where it is the window without the reserve.
   * @param reserveTokens as in a request
   * @param prefixTokens of the prompt and the tools
   */
  compactsAt?(
    model: ModelChoice,
    reserveTokens: number | undefined,
    prefixTokens: number,
  ): number | undefined;
  start(request: RunRequest): Run;
  /** Replaces old messages by a summary. The transcript has a compaction entry afterwards. */
  compact(request: RunRequest): Run;
}
