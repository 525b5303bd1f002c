import { splitOriginMarker } from '@openbot/sessions/lines';
import type { DiscoveredSession } from '../discover/discovered-session.ts';

/** A title, task or message of a session. */
export interface SessionText {
  readonly text: string;
  /** Its name in explanations; empty for the current subject. */
  readonly what: string;
  /** At most 1: an older text says less about the current subject. */
  readonly weight: number;
}

const LOSS_PER_TASK = 0.1;
const LEAST_WEIGHT = 0.6;

/**
 * The texts that describe a session: its title, its tasks and its first message, newest first.
 * @param tasks of its runs, oldest first; default: the last known one
 */
export function listTexts(session: DiscoveredSession, tasks?: readonly string[]): SessionText[] {
  const { title, lastTask, firstMessage } = session;
  const known = tasks ?? (lastTask === undefined ? [] : [lastTask]);
  const said = [...known.toReversed(), firstMessage]
    .map((text) => splitOriginMarker(text).rest.trim())
    .filter((text, at, all) => text !== '' && all.indexOf(text) === at);
  const texts = said.map((text, rank) => ({
    text,
    what:
      rank === 0
        ? ''
        : text === splitOriginMarker(firstMessage).rest.trim()
          ? 'its first message'
          : 'an earlier task',
    weight: Math.max(LEAST_WEIGHT, 1 - rank * LOSS_PER_TASK),
  }));
  return title === undefined ? texts : [{ text: title, what: 'its title', weight: 1 }, ...texts];
}
