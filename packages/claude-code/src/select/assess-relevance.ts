import { randomBytes } from 'node:crypto';
import type { DiscoveredSession } from '../discover/discovered-session.ts';
import { withTimeLimit } from '../project-status/time-limit.ts';
import { describeError } from '../scan/hide-secrets.ts';
import { readAnswer } from './relevance-answer.ts';
import { composeQuestion } from './relevance-question.ts';
import type { AskModel, Relevance, SessionSelectionConfig } from './selection.ts';
import { listTexts } from './session-texts.ts';
import { compareWords } from './words.ts';

export interface AssessOptions {
  readonly config: SessionSelectionConfig;
  /** Without it, words are compared. */
  readonly askModel?: AskModel;
  /** The tasks of the runs of each session, oldest first, by session id. */
  readonly tasks?: ReadonlyMap<string, readonly string[]>;
  /** Names the block of data in the question. Default: 16 random digits. */
  readonly tag?: string;
}

export interface Assessment {
  /** One for each session, in their order. */
  readonly relevance: readonly Relevance[];
  /** Why words were compared instead of asking the model. */
  readonly fallback?: string;
}

/**
 * Rates the relevance of each session for the task: by one question to the model about all of them, else by their
 * words. Takes no longer than the model's time limit, and never throws.
 */
export async function assessTaskRelevance(
  task: string,
  sessions: readonly DiscoveredSession[],
  options: AssessOptions,
): Promise<Assessment> {
  const { askModel, config } = options;
  const byWords = () =>
    compareWords(
      task,
      sessions.map((session) => listTexts(session, options.tasks?.get(session.sessionId))),
    );
  if (sessions.length === 0 || !config.enabled || askModel === undefined) return { relevance: byWords() };
  const tag = options.tag ?? randomBytes(8).toString('hex');
  const question = composeQuestion(task, sessions, tag, options.tasks);
  const outcome = await askInTime(askModel, question, config);
  if ('fault' in outcome) return { relevance: byWords(), fallback: outcome.fault };
  const read = readAnswer(outcome.answer, sessions.length);
  return 'ratings' in read ? { relevance: read.ratings } : { relevance: byWords(), fallback: read.fault };
}

async function askInTime(
  askModel: AskModel,
  question: { readonly system: string; readonly prompt: string },
  { relevanceModel, relevanceMaxTokens, relevanceTimeoutMs }: SessionSelectionConfig,
): Promise<{ readonly answer: unknown } | { readonly fault: string }> {
  const ask = async (signal: AbortSignal): Promise<{ answer: unknown }> => ({
    answer: await askModel({ ...question, model: relevanceModel, maxTokens: relevanceMaxTokens, signal }),
  });
  try {
    const asked = await withTimeLimit(ask, relevanceTimeoutMs, 0);
    return asked ?? { fault: `the model did not answer within ${relevanceTimeoutMs} ms` };
  } catch (error) {
    return { fault: `the model could not be asked: ${describeError(error)}` };
  }
}
