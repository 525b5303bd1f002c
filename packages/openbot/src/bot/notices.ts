import type { BotConfig } from '../config/bot-config.ts';
import { compileMentionPatterns } from '../turn/words/compile-mention-patterns.ts';
import type { MentionWords } from '../turn/words/strip-mentions.ts';
import type { BotNotice } from './contract.ts';

export function warn({ message }: BotNotice): void {
  process.emitWarning(message, 'OpenBotWarning');
}

export function describeTrouble(cause: unknown, sessionKey?: string): BotNotice {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const where = sessionKey === undefined || sessionKey === '*' ? '' : ` of ${sessionKey}`;
  return { about: 'trouble', message: `A step${where} failed and is tried again: ${reason}`, cause };
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
