import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { formatQuantity, printable } from '@openbot/sessions/terminal-text';
import { loadBotConfig } from '../../config/load-config.ts';
import { type Stopped, stopGateway } from '../../gateway-process/stop-gateway.ts';
import { type KeptMessages, lookIntoMessages } from '../../kept-messages/look-into-messages.ts';
import type { GATEWAY_STOP_FLAGS } from './flags.ts';

const GRACE_S = 10;
/** Beyond the grace of runs: replies are sent, and databases closed. */
const CLOSING_MS = 15_000;

/** Ends the gateway, and says what goes on with the next start. */
export async function gatewayStop(input: CommandInput<typeof GATEWAY_STOP_FLAGS>): Promise<void> {
  const { flags, terminal } = input;
  const { stopped, kept } = await stopHere(input);
  if (flags.json) return writeJson(terminal, { ...stopped, kept });
  terminal.say(describeStop(stopped, kept));
}

export async function stopHere({
  flags,
  env,
}: Pick<CommandInput<typeof GATEWAY_STOP_FLAGS>, 'flags' | 'env'>): Promise<{
  readonly stopped: Stopped;
  readonly kept: KeptMessages['waiting'];
}> {
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  // A file that is wrong must not keep it from being stopped.
  const loaded = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true }).catch(() => undefined);
  const graceMs = (loaded?.config.gateway?.graceSeconds ?? GRACE_S) * 1000;
  const stopped = await stopGateway(stateDir, {
    timeoutMs: graceMs + CLOSING_MS,
    force: flags.force === true,
  });
  const kept = stopped.was === 'not running' ? [] : (lookIntoMessages(stateDir)?.waiting ?? []);
  return { stopped, kept };
}

export function describeStop(stopped: Stopped, kept: KeptMessages['waiting']): string {
  if (stopped.was === 'not running') return 'The gateway does not run.\n';
  const count = kept.reduce((sum, { waiting, running }) => sum + waiting + running, 0);
  const sessions = kept.map(({ sessionKey }) => `  ${printable(sessionKey)}\n`).join('');
  const rest =
    count === 0
      ? 'Nothing waits for an answer.\n'
      : `${formatQuantity(count, 'message')} without an answer ${count === 1 ? 'is' : 'are'} recorded, and ${count === 1 ? 'goes' : 'go'} on with the next start:\n${sessions}`;
  return `${stopped.was === 'killed' ? 'Killed' : 'Stopped'} the gateway, process ${stopped.pid}. ${rest}`;
}
