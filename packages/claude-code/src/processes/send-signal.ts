/** False where the process belongs to somebody else. One that is gone needs none. A negative pid is a whole group. */
export function sendSignal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

/** One that is stopped hears of it only when it is let go on. */
export function askToEnd(send: (name: NodeJS.Signals) => boolean): boolean {
  return send('SIGTERM') && (process.platform === 'win32' || send('SIGCONT'));
}
