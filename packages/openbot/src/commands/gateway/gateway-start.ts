import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { makeFolder } from '@openbot/sessions/disk';
import { printable } from '@openbot/sessions/terminal-text';
import { gatewayFiles } from '../../gateway-process/gateway-files.ts';
import { startGateway } from '../../gateway-process/start-gateway.ts';
import type { GATEWAY_START_FLAGS } from './flags.ts';
import { ownCommand, runWords, withToken } from './own-command.ts';

const READY_S = 60;

/** Starts the gateway in the background, and waits until it is ready. */
export async function gatewayStart(input: CommandInput<typeof GATEWAY_START_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  await makeFolder(stateDir);
  const { pid, port, address, url } = await startGateway({
    stateDir,
    command: ownCommand(...runWords(stateDir, flags)),
    env: withToken(env, flags),
    timeoutMs: (flags.timeout ?? READY_S) * 1000,
  });
  const logPath = gatewayFiles(stateDir).log;
  if (flags.json) return writeJson(terminal, { pid, port, address, url, logPath });
  terminal.say(
    `${terminal.palette.green('Started')} the gateway on ${url}, process ${pid}\n  Log: ${printable(logPath)}\n`,
  );
}
