/** The kind of a listener, for the warning when one throws. */
export interface ListenerKind {
  readonly of: string;
  readonly warningCode: string;
}

/** Tells a listener. If that fails it is reported as a process warning: the caller and the other listeners go on. */
export function callListener<T>(listener: (news: T) => unknown, news: T, audience: ListenerKind): void {
  const warn = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    process.emitWarning(`A listener ${audience.of} failed: ${reason}`, { code: audience.warningCode });
  };
  try {
    const outcome = listener(news);
    if (outcome instanceof Promise) outcome.catch(warn);
  } catch (error) {
    warn(error);
  }
}
