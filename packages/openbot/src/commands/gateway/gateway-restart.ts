import type { CommandInput } from '@openbot/sessions/command-line';
import type { GATEWAY_RESTART_FLAGS } from './flags.ts';
import { gatewayStart } from './gateway-start.ts';
import { describeStop, stopHere } from './gateway-stop.ts';

/** Ends the gateway where it runs, and starts it. */
export async function gatewayRestart(input: CommandInput<typeof GATEWAY_RESTART_FLAGS>): Promise<void> {
  const { stopped, kept } = await stopHere(input);
  if (!input.flags.json && stopped.was !== 'not running') input.terminal.say(describeStop(stopped, kept));
  await gatewayStart(input);
}
