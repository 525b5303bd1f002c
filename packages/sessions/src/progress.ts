import { channel } from 'node:diagnostics_channel';

/**
 * `scan` reads one session as a whole, `list` a little of many, `pack` compresses or unpacks a first state, `ask` waits for
 * other programs, `run` for an agent.
 */
export type Step =
  | 'find'
  | 'list'
  | 'choose'
  | 'ask'
  | 'run'
  | 'scan'
  | 'plan'
  | 'write'
  | 'verify'
  | 'swap'
  | 'pack';

/** What a process is doing that may take long. It is reported for people who wait; nothing depends on it. */
export type Progress =
  /**
   * A step begins, and ends with the next one. The text is for people: `Reading the session`. The same text again only says
   * that it goes on.
   */
  | { readonly step: Step; readonly text: string }
  /** A person is asked, or nothing is done. */
  | { readonly step: undefined }
  /** How much of the step is done, from 0 to 1. */
  | { readonly share: number }
  /** The work stands still until another process is done; undefined when it goes on. */
  | { readonly waitingFor: string | undefined };

/**
 * A channel of Node instead of an option of every function between a command and its disk: it is one for all copies of
 * this module in a process, and costs nothing without a listener.
 */
const progress = channel('openbot:progress');

/** Whether it is worth the trouble to find out what could be reported. */
export function isProgressWanted(): boolean {
  return progress.hasSubscribers;
}

export function reportProgress(news: Progress): void {
  if (progress.hasSubscribers) progress.publish(news);
}

/** Calls the listener with what all work in this process reports. Returns the function that ends this. */
export function listenToProgress(listener: (news: Progress) => void): () => void {
  const onNews = (news: unknown) => listener(news as Progress);
  progress.subscribe(onNews);
  return () => void progress.unsubscribe(onNews);
}
