import { randomUUID, type UUID } from 'node:crypto';
import type { Options, Query, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import type { HeldLock } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { ItemQueue } from '../conversation/event-source.ts';
import { loadAgentSdk } from '../conversation/load-agent-sdk.ts';
import { refuseTools } from '../conversation/refuse-tools.ts';
import type { ClaudeProcess } from '../processes/claude-process.ts';
import { endLeftovers } from '../processes/end-leftovers.ts';
import { removeRunNote } from '../processes/run-note.ts';
import { startClaude } from '../processes/start-claude.ts';
import { assertNotOpen, lockSession } from '../queue/run-locks.ts';
import { noteConversation } from '../registry/conversations.ts';
import { leaveOuterSession } from '../run-contract/run-scope.ts';
import {
  type AgentCall,
  type AgentTool,
  type AgentToolResult,
  ALLOW_AGENT_TOOLS,
  serveAgentTools,
  toolNameOf,
} from './agent-tools.ts';

/** An `SDKMessage` of the Agent SDK, whose types are not named here: it is installed by those who use it. */
export interface AgentMessage {
  readonly type: string;
}

export type AgentPermission =
  | { readonly isAllowed: true }
  /** The reason is for the model. */
  | { readonly isAllowed: false; readonly reason: string };

export interface AgentSessionRequest {
  readonly agentId: string;
  readonly stateDir: string;
  /** Of the program that runs the agent; Claude Code gets it without what an outer Claude Code has put there. */
  readonly env: Environment;
  /** A uuid. `new` begins a session under it, `known` goes on with one, `none` keeps nothing of what is said. */
  readonly session: { readonly id: string; readonly is: 'new' | 'known' | 'none' };
  readonly workspaceDir: string;
  /** Where Claude Code's own tools may also read. */
  readonly readableDirs?: readonly string[];
  readonly model: string;
  /** Tokens. Claude Code compacts the conversation when it nearly fills it; at least 100,000. */
  readonly contextWindow?: number;
  /** All of it, and the same after a resume. */
  readonly systemPrompt: string;
  /** How hard the model thinks; undefined leaves it to Claude Code. */
  readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'none';
  readonly tools: readonly AgentTool[];
  /** Claude Code's own tools that the model is offered. */
  readonly claudeTools: readonly string[] | 'all';
  readonly permissionMode?: 'default' | 'acceptEdits' | 'plan' | 'dontAsk';
  /** Waited for before the tool of a call begins, whichever it is. False refuses it. */
  mayBegin(callId: string): Promise<boolean>;
  /** Runs a call of one of `tools`. Must not throw. */
  run(call: AgentCall, signal: AbortSignal): Promise<AgentToolResult>;
  /** Asked about a use of Claude Code's own tools that its rules do not allow by themselves. */
  permit(call: AgentCall, signal: AbortSignal): Promise<AgentPermission>;
  /** Asked about every use of Claude Code's own tools, also those that it allows by itself: why it is refused. */
  findDenial?(call: AgentCall): string | undefined | Promise<string | undefined>;
  /** Rules, `Read(.env)`, for files that Claude Code's own tools must leave out when they search. */
  readonly unreadable?: readonly string[];
  /** Asked when Claude Code would compact the conversation by itself. False: it goes on without. */
  readonly mayCompact?: () => boolean;
  /** The summary of each compaction, before the message that reports it. */
  readonly onSummary?: (summary: string) => void;
  readonly warn?: (message: string) => void;
}

/** How long Claude Code may take to exit when it has nothing to do any more. */
const EXIT_PATIENCE_MS = 5000;
/** Hooks have a limit of one minute by default; a tool waits as long as the run that it belongs to. */
const HOOK_SECONDS = 24 * 3600;

/**
 * One Claude Code that speaks for an agent in the agent's workspace. Unlike a run, it has no repository to itself, no
 * entry in the registry and no marker, its settings are those of the request alone, and no coding run selects its session.
 */
export class AgentSession {
  /** What Claude Code reports, to its end. Throws after a result that is an error, and when Claude Code is killed. */
  readonly messages: AsyncIterable<AgentMessage>;
  readonly #request: AgentSessionRequest;
  readonly #input = new ItemQueue<SDKUserMessage>();
  readonly #query: Query;
  readonly #lock: HeldLock | undefined;
  #process: ClaudeProcess | undefined;

  /**
   * @throws OpenBotError SDK_NOT_INSTALLED; SESSION_BUSY, SESSION_OPEN if another Claude Code has the session;
   * CLAUDE_NOT_STARTED
   */
  static async open(request: AgentSessionRequest): Promise<AgentSession> {
    const { session, stateDir, agentId } = request;
    const env = leaveOuterSession(request.env);
    const [sdk, mcpServers] = await Promise.all([
      loadAgentSdk(),
      serveAgentTools(request.tools, async (call, signal) =>
        (await request.mayBegin(call.id)) ? request.run(call, signal) : REFUSED,
      ),
    ]);
    const isKept = session.is !== 'none';
    const lock = isKept ? await lockSession(session.id, env) : undefined;
    try {
      if (session.is === 'known') assertNotOpen(session.id, env);
      if (isKept) noteConversation(stateDir, agentId, session.id);
      return new AgentSession({ ...request, env }, { sdk, mcpServers, lock });
    } catch (error) {
      await lock?.release();
      throw error;
    }
  }

  private constructor(
    request: AgentSessionRequest,
    parts: {
      readonly sdk: Awaited<ReturnType<typeof loadAgentSdk>>;
      readonly mcpServers: Record<string, object>;
      readonly lock: HeldLock | undefined;
    },
  ) {
    this.#request = request;
    this.#lock = parts.lock;
    this.#query = parts.sdk.query({
      prompt: this.#input,
      options: {
        ...composeOptions(request),
        mcpServers: parts.mcpServers as Options['mcpServers'],
        spawnClaudeCodeProcess: ({ command, args, cwd, env }) => {
          const { session, workspaceDir, warn = () => {} } = request;
          const options = { sessionId: session.id, repoPath: workspaceDir, env: request.env, warn };
          this.#process = startClaude({ command, args, cwd, env }, options);
          return this.#process.child;
        },
      },
    });
    this.messages = this.#query;
  }

  /** The end of Claude Code's error output, without secrets. */
  get stderr(): string {
    return this.#process?.stderr ?? '';
  }

  /**
   * Gives a message to the model. One that is sent while the model is at work is read at the next result of a tool, or
   * answered afterwards. The text is given as it is: nothing in it is a command or names a file.
   * @param images base64; they follow the text
   * @returns the name of the message in what Claude Code reports
   */
  say(text: string, images: readonly { readonly data: string; readonly mimeType: string }[] = []): UUID {
    if (images.length === 0) return this.#send(text, { client_composed: true });
    const blocks = images.map(({ data, mimeType }) => ({
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: mimeType as 'image/png', data },
    }));
    return this.#send([{ type: 'text', text }, ...blocks], { client_composed: true });
  }

  /** A command of Claude Code, such as `/compact`. */
  command(text: string): UUID {
    return this.#send(text, {});
  }

  #send(content: SDKUserMessage['message']['content'], more: Pick<SDKUserMessage, 'client_composed'>): UUID {
    const uuid = randomUUID();
    const message = { role: 'user' as const, content };
    this.#input.push({ type: 'user', uuid, message, parent_tool_use_id: null, ...more });
    return uuid;
  }

  /** Stops the model and its tools. The session stays whole, and a result follows. */
  async interrupt(): Promise<void> {
    await this.#query.interrupt();
  }

  /** Takes no more messages: Claude Code exits when it has answered. */
  closeInput(): void {
    this.#input.close();
  }

  /**
   * Resolves when no process of it is left.
   * @param patienceMs how long it may take to exit by itself
   */
  async end(patienceMs = EXIT_PATIENCE_MS): Promise<void> {
    this.#input.close();
    try {
      if (this.#process === undefined) return;
      if (patienceMs === 0 || !(await this.#process.isGoneWithin(patienceMs))) await this.#process.end();
      const { session, env } = this.#request;
      removeRunNote({ sessionId: session.id, mark: this.#process.mark }, env);
    } finally {
      await this.#lock?.release();
    }
  }
}

const REFUSED: AgentToolResult = { text: 'The run was ended before the tool began.', isError: true };

function composeOptions(request: AgentSessionRequest): Options {
  const { session, claudeTools, contextWindow, effort, readableDirs = [] } = request;
  const hasOwnTools = claudeTools === 'all' || claudeTools.length > 0;
  return {
    ...(session.is === 'known' ? { resume: session.id } : { sessionId: session.id }),
    persistSession: session.is !== 'none',
    cwd: request.workspaceDir,
    env: { DISABLE_AUTOUPDATER: '1', ...request.env },
    model: request.model,
    // A recorded prompt would be used for all later runs in the place of theirs.
    systemPrompt: { type: 'custom', prompt: request.systemPrompt, snapshot: false },
    // Left to itself it may not compact before the provider refuses the conversation.
    ...(contextWindow !== undefined && {
      extraArgs: { autocompact: String(Math.min(1_000_000, Math.max(100_000, contextWindow))) },
    }),
    ...(effort === undefined ? {} : effort === 'none' ? { thinking: { type: 'disabled' } } : { effort }),
    includePartialMessages: true,
    // Neither the person's settings nor those of the workspace: no hooks, no rules, no memory of theirs.
    settingSources: [],
    strictMcpConfig: true,
    tools: claudeTools === 'all' ? { type: 'preset', preset: 'claude_code' } : [...claudeTools],
    permissionMode: request.permissionMode ?? 'default',
    settings: { permissions: { allow: [ALLOW_AGENT_TOOLS], deny: [...(request.unreadable ?? [])] } },
    ...(hasOwnTools && { additionalDirectories: [...readableDirs] }),
    canUseTool: async (name, input, { toolUseID: id, signal }) => {
      const call = { id, name: toolNameOf(name), arguments: input };
      const answer = (await request.mayBegin(id))
        ? await request.permit(call, signal)
        : { isAllowed: false as const, reason: REFUSED.text };
      return answer.isAllowed
        ? { behavior: 'allow', updatedInput: input }
        : { behavior: 'deny', message: answer.reason };
    },
    hooks: {
      ...(hasOwnTools && { PreToolUse: [{ hooks: [holdTool(request)], timeout: HOOK_SECONDS }] }),
      PreCompact: [
        {
          hooks: [
            async (input) => {
              const isOwn = input.hook_event_name === 'PreCompact' && input.trigger === 'auto';
              if (!isOwn || request.mayCompact?.() !== false) return {};
              return { decision: 'block', reason: 'Memories are saved first.' };
            },
          ],
        },
      ],
      PostCompact: [
        {
          hooks: [
            async (input) => {
              if (input.hook_event_name === 'PostCompact') request.onSummary?.(input.compact_summary);
              return {};
            },
          ],
        },
      ],
    },
  };
}

/** Claude Code starts a tool while the model is still writing its message. */
function holdTool({ mayBegin, findDenial }: AgentSessionRequest) {
  return refuseTools(async ({ toolName, input }, id) => {
    if (id !== undefined && !(await mayBegin(id))) return REFUSED.text;
    return findDenial?.({ id: id ?? '', name: toolNameOf(toolName), arguments: input });
  });
}

/**
 * Ends what a crashed process left running in a session.
 * @param env names Claude Code's folder
 */
export async function endAgentLeftovers(sessionId: string, env: Environment): Promise<void> {
  await endLeftovers({ env, isMeant: (note) => note.sessionId === sessionId, onFound: () => {} });
}
