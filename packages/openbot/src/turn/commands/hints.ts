import type { SessionEntry } from '@openbot/sessions';
import { answerShortcuts } from '../../chat-commands/answer-words.ts';
import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import { findSetting } from '../../session-settings/table.ts';
import type { TurnSession } from '../init-session.ts';
import type { Turn } from '../open-turn.ts';
import { openCommandScope } from './answer-command.ts';
import { listInlineSettings } from './hinted-model.ts';

/** The session as the messages of the turn want it, and without the words that say so. */
export async function withHints(turn: Turn, session: TurnSession): Promise<TurnSession> {
  const { tools, work, message } = turn;
  const body = tools.stripInside(message, session.body);
  const wanted = listInlineSettings(tools, work.messages).filter(
    ({ name }) => name !== 'model' && name !== 'queue',
  );
  if (wanted.length === 0) return { ...session, body };
  const place = await openCommandScope(turn, { key: session.sessionKey, entry: session.entry });
  const hinted: Partial<SessionEntry> = {};
  for (const { name, value } of wanted) {
    const read = await findSetting(name)?.read(value, place);
    if (read?.isRead) Object.assign(hinted, read.patch);
  }
  return { ...session, body, hinted, entry: { ...session.entry, ...hinted } };
}

/** The answers to what a message asks of the bot beside what it asks of the agent. */
export async function answerInside(turn: Turn, { sessionKey, entry }: TurnSession): Promise<ReplyPayload[]> {
  const words = turn.tools.wordsOf(turn.message);
  if (words.is !== 'inside' || words.shortcuts.length === 0) return [];
  const scope = await openCommandScope(turn, { key: sessionKey, entry });
  return (await answerShortcuts(scope, words)).map((text) => ({ text }));
}
