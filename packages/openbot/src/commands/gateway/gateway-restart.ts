import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { loadBotConfig } from '../../config/load-config.ts';
import { resolveBind } from '../../gateway-process/bind-address.ts';
import { findGateway } from '../../gateway-process/find-gateway.ts';
import { readTokens } from '../../gateway-process/gateway-token.ts';
import type { GATEWAY_RESTART_FLAGS } from './flags.ts';
import { gatewayStart } from './gateway-start.ts';
import { describeStop, stopHere } from './gateway-stop.ts';
import { TOKEN_VARIABLE } from './own-command.ts';

type Input = CommandInput<typeof GATEWAY_RESTART_FLAGS>;

/** Ends the gateway where it runs, and starts it where it listened. What could not start again is not ended. */
export async function gatewayRestart(input: Input): Promise<void> {
  const stateDir = resolve(resolveStateDir({ flag: input.flags.stateDir, env: input.env }));
  const former = findGateway(stateDir);
  const { port: given, bind } = former?.flags ?? {};
  // Of `--port 0` the one that it got.
  const port = given === undefined ? undefined : former?.port;
  const flags = { ...input.flags, port: input.flags.port ?? port, bind: input.flags.bind ?? bind };
  await checkStart(stateDir, flags, input.env);
  const { stopped, kept } = await stopHere(input);
  if (!flags.json && stopped.was !== 'not running') input.terminal.say(describeStop(stopped, kept));
  await gatewayStart({ ...input, flags });
}

/** Throws what the start would fail with. */
async function checkStart(
  stateDir: string,
  { bind, token }: Pick<Input['flags'], 'bind' | 'token'>,
  { [TOKEN_VARIABLE]: givenToken, ...env }: Input['env'],
): Promise<void> {
  const { config } = await loadBotConfig(stateDir, env);
  const { address, reach } = resolveBind({ ...config.gateway, ...(bind !== undefined && { bind }) });
  await readTokens({
    stateDir,
    config,
    flag: token ?? givenToken,
    address: reach === undefined ? undefined : address,
  });
}
