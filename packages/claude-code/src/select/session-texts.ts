import type { DiscoveredSession } from '../discover/discovered-session.ts';
import { splitMarker } from '../scan/first-message.ts';

/** Something that a session is called, or was asked to do. */
export interface SessionText {
  readonly text: string;
  /** How it is named to a person; empty for what a session is about now. */
  readonly what: string;
  /** At most 1: what was said long ago tells less of what a session is about now. */
  readonly weight: number;
}

const LOSS_PER_TASK = 0.1;
const LEAST_WEIGHT = 0.6;

/**
 * All that says what a session is about: its title, its tasks and its first message, the newest first.
 * @param tasks of its runs, the oldest first; without them the last one that is known
 */
export function listTexts(session: DiscoveredSession, tasks?: readonly string[]): SessionText[] {
  const { title, lastTask, firstMessage } = session;
  const known = tasks ?? (lastTask === undefined ? [] : [lastTask]);
  const said = [...known.toReversed(), firstMessage]
    .map((text) => splitMarker(text).rest.trim())
    .filter((text, at, all) => text !== '' && all.indexOf(text) === at);
  const texts = said.map((text, rank) => ({
    text,
    what:
      rank === 0
        ? ''
        : text === splitMarker(firstMessage).rest.trim()
          ? 'its first message'
          : 'an earlier task',
    weight: Math.max(LEAST_WEIGHT, 1 - rank * LOSS_PER_TASK),
  }));
  return title === undefined ? texts : [{ text: title, what: 'its title', weight: 1 }, ...texts];
}
