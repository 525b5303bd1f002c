import type { Options } from '@anthropic-ai/claude-agent-sdk';
import type { RunAction } from '../run-contract/run-event.ts';
import type { McpServers, RunRequest } from '../run-contract/run-request.ts';
import type { RunScope } from '../run-contract/run-scope.ts';
import type { AnnouncedCalls } from './announced-calls.ts';
import type { PermissionRelay } from './permission-relay.ts';
import { refuseTools } from './refuse-tools.ts';

/** The MCP servers that Claude Code uses. */
export interface ClaudeServers {
  /** Those inside this process. */
  readonly inProcess: McpServers;
  /** A file that lists the others, if there are any. */
  readonly configPath: string | undefined;
  /** Tools of theirs that need no permission. */
  readonly allowed: readonly string[];
}

export interface ClaudeOptionsParts {
  readonly request: RunRequest;
  readonly scope: RunScope;
  readonly sessionId: string;
  readonly action: RunAction;
  readonly forkOf?: string;
  readonly servers: ClaudeServers;
  readonly budgetLeftUsd: number | undefined;
  readonly relay: PermissionRelay;
  readonly announcedCalls: AnnouncedCalls;
}

/** The options that Claude Code is started with. */
export function composeClaudeOptions(parts: ClaudeOptionsParts): Options {
  const { request, scope, servers, budgetLeftUsd, relay, announcedCalls } = parts;
  const { model, maxTurns, pathToClaudeCodeExecutable, allowedTools = [], findDenial } = request;
  const allow = [...servers.allowed, ...allowedTools];
  const given = {
    model,
    maxTurns,
    pathToClaudeCodeExecutable,
    // With the option `allowedTools`, the SDK warns on stderr of a callback that is not called.
    settings: allow.length === 0 ? undefined : { permissions: { allow } },
    disallowedTools: copy(request.disallowedTools),
    hooks: findDenial && { PreToolUse: [{ hooks: [refuseTools(findDenial)] }] },
    settingSources: copy(request.settingSources),
    mcpServers: servers.inProcess as Options['mcpServers'],
    // As options of the SDK they would be on the command line, with their keys.
    extraArgs: servers.configPath === undefined ? undefined : { 'mcp-config': servers.configPath },
    // The SDK counts the cost of one process; the earlier cost of the session is subtracted.
    maxBudgetUsd: budgetLeftUsd,
  };
  return {
    ...(leaveOutUndefined(given) as Partial<Options>),
    // Without it, a model may decide.
    permissionMode: request.permissionMode ?? 'default',
    cwd: scope.repo.path,
    env: { ...scope.env },
    ...nameSession(parts),
    systemPrompt: {
      type: 'preset',
      preset: 'claude_code',
      ...(request.appendSystemPrompt === undefined ? {} : { append: request.appendSystemPrompt }),
    },
    canUseTool: async (toolName, input, asked) => {
      await announcedCalls.whenAnnounced(asked.toolUseID);
      const { title, description, decisionReason: reason, blockedPath } = asked;
      const texts = leaveOutUndefined({ title, description, reason, blockedPath });
      const answer = await relay.ask(
        {
          requestId: asked.requestId,
          toolUseId: asked.toolUseID,
          toolName,
          input,
          ...texts,
          isRisky: asked.defaultToNo === true,
        },
        asked.signal,
      );
      if (answer.behavior === 'allow') {
        return { behavior: 'allow', updatedInput: { ...(answer.updatedInput ?? input) } };
      }
      return { behavior: 'deny', message: answer.message ?? 'It was not allowed.' };
    },
  };
}

function nameSession({ action, sessionId, forkOf }: ClaudeOptionsParts): Partial<Options> {
  if (action === 'resume') return { resume: sessionId };
  return forkOf === undefined ? { sessionId } : { resume: forkOf, forkSession: true, sessionId };
}

function copy<Item>(list: readonly Item[] | undefined): Item[] | undefined {
  return list === undefined ? undefined : [...list];
}

function leaveOutUndefined<T extends object>(value: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as {
    [Key in keyof T]?: NonNullable<T[Key]>;
  };
}
