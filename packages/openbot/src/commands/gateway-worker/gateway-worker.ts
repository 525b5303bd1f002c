import type { CommandInput } from '@openbot/sessions/command-line';
import { runWorker } from '../../gateway-worker/worker-process.ts';

/** Does long work for the gateway that started this process. */
export async function gatewayWorker({ env, words }: CommandInput): Promise<void> {
  const [stateDir = ''] = words as readonly string[];
  // The gateway reads it. Where that is gone, the end of the process is not for what it prints to decide.
  process.stderr.on('error', () => {});
  await runWorker({ stateDir, env });
}
