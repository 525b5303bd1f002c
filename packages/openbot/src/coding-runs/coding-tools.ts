import type { Environment } from '@openbot/sessions/layout';
import type { ResolvedAgent } from '../config/agents.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { Outbox } from '../outbox/contract.ts';
import { isChat } from '../session-tools/message-target.ts';
import { type Tool, type ToolSession, toolFailure } from '../tools/contract.ts';
import { nameActions } from '../tools/name-actions.ts';
import { readLabel } from '../tools/read-label.ts';
import type { CodingDesk, CodingTask } from './coding-desk.ts';
import { findRepo, resolveCodingSettings } from './coding-settings.ts';
import { sendFollowUp } from './follow-ups.ts';

export interface CodingToolParts {
  readonly desk: CodingDesk;
  readonly outbox: Outbox;
  readonly config: BotConfig;
  readonly env: Environment;
  now(): number;
}

/** None where the configuration allows no repository. */
export function makeCodingTools(parts: CodingToolParts, session: ToolSession, agent: ResolvedAgent): Tool[] {
  const settings = resolveCodingSettings(parts.config, agent);
  if ((settings.repos ?? []).length === 0) return [];
  // A command, and another session, end with their answer: a later result would have no reader.
  const waits = !isChat(session.requester);
  const start: Tool = {
    name: 'claude_code',
    // The same in each turn, whoever asks.
    description:
      'Has Claude Code work on a task in a repository. On a chat network it is started, and the person is told its questions, progress and result; elsewhere this waits for its answer.',
    parameters: {
      type: 'object',
      properties: {
        task: { type: 'string', description: 'The task, with all that is needed to do it.' },
        repo: {
          type: 'string',
          description: `The folder of the repository, in: ${settings.repos?.join(', ')}.`,
        },
        label: { type: 'string', description: 'Continues the session with this name, or names a new one.' },
        budget: { type: 'number', minimum: 0, description: 'The most it may cost, in US dollars.' },
      },
      required: ['task', 'repo'],
    },
    changes: true,
    run: async ({ task, repo, label, budget }, { signal }) => {
      if ((task as string).trim() === '') throw toolFailure('The task is empty.');
      if (budget === 0) throw toolFailure('The argument budget must be above 0.');
      const wanted: CodingTask = {
        task: task as string,
        repoPath: findRepo(repo as string, settings, parts.env),
        label: readLabel(label),
        maxBudgetUsd: budget as number | undefined,
        workspaceDir: agent.workspaceDir,
        settings,
      };
      if (waits) return waitForRun(parts, session, wanted, signal);
      const { id, repoPath } = await parts.desk.start(session, wanted);
      return JSON.stringify({
        status: 'started',
        id,
        repo: repoPath,
        note: 'The person is told the result.',
      });
    },
  };
  return [start, makeSend(parts, session)];
}

async function waitForRun(
  { desk }: CodingToolParts,
  session: ToolSession,
  task: CodingTask,
  signal: AbortSignal,
): Promise<string> {
  const { id, outcome, messages } = await desk.run(session, task, signal).catch((error: Error) => {
    throw toolFailure(`The run did not start: ${error.message}`);
  });
  const { result, text, failure, sessionId, costUsd } = outcome;
  return JSON.stringify({ status: result, id, sessionId, costUsd, messages, answer: text, failure });
}

function makeSend({ desk, outbox, now }: CodingToolParts, session: ToolSession): Tool {
  const nameAction = nameActions(session.turnId);
  return {
    name: 'claude_code_send',
    description:
      'Tells a coding run of this conversation something more. It reads it after what it does now.',
    parameters: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'The id of the run.' },
        text: { type: 'string', description: 'What it is told.' },
      },
      required: ['id', 'text'],
    },
    changes: true,
    run: async ({ id, text }, { signal }) => {
      if (!isChat(session.requester))
        throw toolFailure('Only in a conversation on a chat network can a coding run be told more.');
      const run = desk.records.get((id as string).trim());
      if (run === undefined || run.agentId !== session.agentId || run.sessionKey !== session.sessionKey)
        throw toolFailure(`This conversation has no coding run ${id}.`);
      if ((text as string).trim() === '') throw toolFailure('The text is empty.');
      const key = nameAction('follow-up', [run.id, text]);
      const state = await sendFollowUp(
        outbox,
        run,
        { key, text: text as string, now: now() },
        { signal },
      ).catch((error: Error) => {
        throw toolFailure(error.message);
      });
      return JSON.stringify({ status: state, id: run.id });
    },
  };
}
