/** Tells a listener. If that fails it is reported as a process warning: the store and the other listeners go on. */
export function callListener<T>(listener: (news: T) => unknown, news: T): void {
  try {
    const outcome = listener(news);
    if (outcome instanceof Promise) outcome.catch(warn);
  } catch (error) {
    warn(error);
  }
}

function warn(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.emitWarning(`A listener of a session store failed: ${reason}`, { code: 'OPENBOT_STORE_LISTENER' });
}
