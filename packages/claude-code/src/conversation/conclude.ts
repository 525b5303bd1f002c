import { OpenBotError, redactSecrets } from '@openbot/sessions';
import type { RunOutcome } from '../run-contract/run-event.ts';
import { type Closing, type Phase, turnOf } from './phase.ts';

export type ConversationEnd =
  | (Pick<RunOutcome, 'result' | 'text' | 'failure' | 'ending'> & { readonly isUnknown: false })
  /** Claude Code knows no such session. Nothing was done. */
  | { readonly isUnknown: true; readonly reason: string };

interface LastState {
  /** The phase in which Claude Code ended. */
  readonly phase: Phase;
  /** The last answer. */
  readonly text: string;
  /** What the SDK threw, if it did. */
  readonly thrown: unknown;
  /** The error output of Claude Code. */
  readonly stderr: string;
  readonly isAborted: boolean;
  readonly hasBegun: boolean;
  readonly warn: (message: string) => void;
}

/**
 * How a conversation ended.
 * @throws OpenBotError CLAUDE_NOT_STARTED
 */
export function concludeConversation(last: LastState): ConversationEnd {
  const { phase, text, thrown } = last;
  if (last.isAborted) return { isUnknown: false, result: 'aborted', text, ending: 'aborted' };
  if (phase.at === 'unknown-session') return { isUnknown: true, reason: phase.reason };
  const why: Closing = 'why' in phase ? phase.why : { because: 'done' };
  if (why.because === 'failure') {
    return { isUnknown: false, result: why.result, text, failure: why.message };
  }
  if (turnOf(phase)?.of === 'message') {
    const failure = describeBreak(last);
    if (last.hasBegun) return { isUnknown: false, result: 'error', text, failure };
    throw new OpenBotError('CLAUDE_NOT_STARTED', `Claude Code could not be started: ${failure}`, {
      hint: 'Install @anthropic-ai/claude-agent-sdk again with its optional dependencies, or set pathToClaudeCodeExecutable.',
      cause: thrown,
    });
  }
  // All messages were answered by then.
  if (thrown !== undefined) {
    const isCut = phase.at === 'cut';
    last.warn(isCut ? 'Background work that Claude Code left running was ended' : describeBreak(last));
  }
  return {
    isUnknown: false,
    result: 'success',
    text,
    ending: why.because === 'done' ? undefined : why.because,
  };
}

function describeBreak({ thrown, stderr }: LastState): string {
  const why = thrown instanceof Error ? withoutAdvice(thrown.message) : 'it ended before it answered';
  return redactSecrets(stderr === '' || why.includes(stderr) ? why : `${why}: ${stderr}`);
}

/** The SDK advises to set an option of its own function; a user of a command has no such option. The hint says it. */
function withoutAdvice(message: string): string {
  const sentences = message.split(/(?<=[.?!])\s+/);
  return sentences.filter((sentence) => !sentence.includes('options.')).join(' ') || message;
}
