import type { CommandInput } from '@openbot/sessions/command-line';
import { runHost } from '../../agent-host/host-process.ts';

/** Runs the agents for the gateway that started this process. */
export async function agentHost({ env, words }: CommandInput): Promise<void> {
  const [stateDir = ''] = words as readonly string[];
  // The gateway reads it. Where that is gone, the end of the process is not for what it prints to decide.
  process.stderr.on('error', () => {});
  await runHost(stateDir, env);
}
