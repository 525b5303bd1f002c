import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts a program, and rejects with Node's error where that fails. Node throws some failures (ENOMEM, E2BIG), emits others
 * (ENOENT, EAGAIN), and has no streams where descriptors have run out (EMFILE): whoever reads `stdout` before it listens for
 * `error` ends its process. Nothing of the child is missed when listeners are added after the `await`; its later errors, such
 * as of a signal that cannot be sent, are ignored.
 */
export async function startChild(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  const child = spawn(program, args, options);
  child.on('error', () => {});
  await once(child, 'spawn');
  return child;
}
