import type { CommandInput } from '@openbot/sessions/command-line';
import { runHost } from '../../agent-host/host-process.ts';

/** Runs the agents for the gateway that started this process. */
export async function agentHost({ env, words }: CommandInput): Promise<void> {
  const [stateDir = ''] = words as readonly string[];
  await runHost(stateDir, env);
}
