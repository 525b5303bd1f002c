import { resolve } from 'node:path';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, FaultsFound, readPackageVersion } from '@openbot/sessions/command-line';
import { makeFolder } from '@openbot/sessions/disk';
import { DEFAULT_GATEWAY_PORT } from '../../config/bot-config.ts';
import { type WatchedConfig, watchConfig } from '../../config/watch-config.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { resolveBind } from '../../gateway-process/bind-address.ts';
import { gatewayFiles } from '../../gateway-process/gateway-files.ts';
import { watchTokens } from '../../gateway-process/gateway-token.ts';
import { isPrintedTo, LogFile, printTo, toLogLine } from '../../gateway-process/log-file.ts';
import { serveGateway } from '../../gateway-process/serve-gateway.ts';
import { isOpenclaws } from '../../index-db/index-path.ts';
import type { GATEWAY_RUN_FLAGS } from './flags.ts';
import { TOKEN_VARIABLE } from './own-command.ts';

const GRACE_S = 10;

/** Runs the gateway in the foreground until a signal ends it. */
export async function gatewayRun(input: CommandInput<typeof GATEWAY_RUN_FLAGS>): Promise<void> {
  const { flags, terminal } = input;
  const { [TOKEN_VARIABLE]: givenToken, ...env } = input.env;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  if (isOpenclaws(stateDir, env))
    throw new OpenBotError('USAGE', `${stateDir} is OpenClaw's, which has a gateway of its own`, {
      hint: 'Name another state folder with --state-dir',
    });
  await makeFolder(stateDir);
  const { log: logPath, output } = gatewayFiles(stateDir);
  const isBackground = isPrintedTo(output);
  const log = isBackground ? openBackgroundLog(logPath) : openLog(logPath, terminal);
  let config: WatchedConfig | undefined;
  try {
    const watched = await watchConfig(stateDir, env, { report: log.write });
    config = watched;
    const settings = { ...watched.config.gateway, ...(flags.bind !== undefined && { bind: flags.bind }) };
    const { address, local, reach } = resolveBind(settings);
    const tokens = await watchTokens({
      stateDir,
      config: watched,
      flag: flags.token ?? givenToken,
      address: reach === undefined ? undefined : address,
      log: log.write,
    });
    if (reach !== undefined)
      log.write(
        `${reach} can reach the gateway. Who has its token can read all conversations and run what agents may run; what is sent is not encrypted`,
      );
    await serveGateway({
      stateDir,
      address,
      local,
      version: readPackageVersion(import.meta.url),
      flags: { port: flags.port, bind: flags.bind },
      log,
      open: (commandToken) =>
        openGateway({
          stateDir,
          env,
          config: watched,
          port: flags.port ?? settings.port ?? DEFAULT_GATEWAY_PORT,
          host: address,
          tokens,
          commandToken,
          logPath,
          log: log.write,
        }),
      graceMs: () => (watched.config.gateway?.graceSeconds ?? GRACE_S) * 1000,
      reload: () => watched.look(),
    });
  } catch (error) {
    if (!isBackground) throw error;
    // No one sees what would be printed; `gateway start` shows the end of the log.
    const { message, hint } = error as OpenBotError;
    log.write([message, hint].filter(Boolean).join('\n'));
    throw new FaultsFound();
  } finally {
    config?.close();
    log.close();
  }
}

/** Into the file, and onto the screen. */
function openLog(path: string, { writeError }: CommandInput['terminal']) {
  const file = new LogFile(path);
  return {
    write: (line: string) => {
      file.write(line);
      writeError(`${toLogLine(line)}\n`);
    },
    close: () => file.close(),
  };
}

/** Open until the process ends, which may say why when all else is closed. */
function openBackgroundLog(path: string) {
  const file = new LogFile(path);
  printTo(file);
  return { write: (line: string) => file.write(line), close: () => {} };
}
