import { quoteForShell } from '@openbot/sessions/terminal-text';
import type { SourceName } from '../storage/contract/found-session.ts';

/** What a person types to go on in a clone; undefined where its program would not find it. */
export function resumeCommandOf(
  source: SourceName,
  sessionId: string,
  path: string,
  { isFoundById, isRegistered }: { isFoundById: boolean; isRegistered: boolean },
): string | undefined {
  switch (source) {
    case 'openclaw':
      return isRegistered ? `openclaw agent --session-id ${sessionId} --message "..."` : undefined;
    case 'claude':
      return `claude --resume ${isFoundById ? sessionId : quoteForShell(path)}`;
    case 'pi':
      return `pi --session ${quoteForShell(path)}`;
  }
}
