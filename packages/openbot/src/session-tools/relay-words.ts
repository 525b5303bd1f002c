import { shorten } from '@openbot/sessions/terminal-text';
import { SILENT_REPLY_TOKEN } from '../turn/reply/tokens.ts';

/** Enough for an answer; a longer one is read in the session itself. */
const MOST_CHARACTERS = 20_000;

interface Told {
  readonly sessionKey: string;
  readonly label?: string;
  readonly isAnswered: boolean;
  readonly text: string;
}

/** What a spawned session reads as its message. */
export function describeTask(task: string): string {
  return `You were started by another session of yours for one task. What you answer is passed on to it, so answer with the result.\n\nTask: ${task}`;
}

/** What a session reads that another one asks. */
export function describeQuestion(from: string, text: string): string {
  return `Your session ${from} asks you. What you answer is passed on to it and to nobody else.\n\n${text}`;
}

/** What the asker reads as a message when a spawned session has ended. */
export function describeAnnouncement({ sessionKey, label, isAnswered, text }: Told): string {
  const name = label === undefined ? sessionKey : `${label} (${sessionKey})`;
  return [
    `The session that you spawned, ${name}, ${isAnswered ? 'has done its task' : 'has failed'}:`,
    cut(text),
    `Tell the person what matters of it in your own words. If nothing does, reply with ${SILENT_REPLY_TOKEN} and nothing else.`,
  ].join('\n\n');
}

/** An event for a session that did not wait for an answer. */
export function describeLateAnswer({ sessionKey, isAnswered, text }: Told): string {
  return `${sessionKey} ${isAnswered ? 'answered' : 'failed'}: ${cut(text)}`;
}

/** The end of it, for a model that has the session's key. */
export function cut(text: string): string {
  return text.length <= MOST_CHARACTERS
    ? text
    : `${shorten(text, MOST_CHARACTERS)} [The rest is in the session; see sessions_history.]`;
}
