import { formatQuantity } from '@openbot/sessions/terminal-text';
import type { BotConfig } from '../config/bot-config.ts';
import type { RunEvent } from '../runners/contract.ts';
import { compileMentionPatterns } from '../turn/words/compile-mention-patterns.ts';
import type { MentionWords } from '../turn/words/strip-mentions.ts';
import type { BotNotice } from './contract.ts';

const MOST_PATHS = 5;

export function warn({ message }: BotNotice): void {
  process.emitWarning(message, 'OpenBotWarning');
}

export function describeTrouble(cause: unknown, sessionKey?: string): BotNotice {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const where = sessionKey === undefined ? '' : ` of ${sessionKey}`;
  return { about: 'trouble', message: `A step${where} failed and is tried again: ${reason}`, cause };
}

export function describeDrop(
  sessionKey: string,
  { by, paths }: Extract<RunEvent, { type: 'thinking-dropped' }>,
): BotNotice {
  const list = paths.length > MOST_PATHS ? [...paths.slice(0, MOST_PATHS), '…'] : paths;
  const blocks = formatQuantity(paths.length, 'block');
  const message = `${by} left out ${blocks} of thinking of ${sessionKey}, since what came before has changed: ${list.join(', ')}`;
  return { about: 'thinking', message };
}

/** The words that address the agent in groups. */
export function compileMentions({ messages }: BotConfig, report: (notice: BotNotice) => void): MentionWords {
  const { regexes, rejected } = compileMentionPatterns(messages?.groupChat?.mentionPatterns);
  for (const { pattern, reason } of rejected) {
    const message = `The mention pattern ${JSON.stringify(pattern)} is not used: ${reason}`;
    report({ about: 'configuration', message });
  }
  return { patterns: regexes };
}
