import { type Transcript, turnsOf } from '@openbot/sessions';
import { hasTools } from '@openbot/sessions/transcript';
import type { SessionInfo } from './results.ts';

type Counts = Pick<SessionInfo, 'messages' | 'turns' | 'toolCalls'>;

/** Counts what is on a path. The lines of one message (Claude Code writes one for each block) count once. */
export function countConversation(transcript: Transcript, path: readonly number[]): Counts {
  const messages = { total: 0, user: 0, assistant: 0, toolResult: 0 };
  const byTool = new Map<string, number>();
  const seen = new Set<number>();
  let calls = 0;
  for (const index of path) {
    if (transcript.kindOf(index) !== 'message') continue;
    for (const { name } of transcript.callsOf(index)) {
      calls++;
      byTool.set(name, (byTool.get(name) ?? 0) + 1);
    }
    const message = transcript.messageOf(index);
    if (message >= 0 && seen.has(message)) continue;
    seen.add(message);
    messages.total++;
    const role = transcript.roleOf(index);
    if (role === 'user' || role === 'assistant' || role === 'toolResult') messages[role]++;
  }
  const turns = turnsOf(transcript, path);
  return {
    messages,
    turns: { total: turns.length, withTools: turns.filter(hasTools).length },
    toolCalls: { total: calls, byTool: orderByFigure(byTool) },
  };
}

/** Largest first, equal ones by name, so that the same session always prints the same. */
export function orderByFigure(figures: Iterable<readonly [string, number]>): Record<string, number> {
  return Object.fromEntries([...figures].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}
