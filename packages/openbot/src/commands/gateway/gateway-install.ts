import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { loadBotConfig } from '../../config/load-config.ts';
import { planUnit, writeUnit } from '../../gateway-process/install-unit.ts';
import type { GATEWAY_INSTALL_FLAGS } from './flags.ts';
import { ownCommand, runWords } from './own-command.ts';

const GRACE_S = 10;
/** As `gateway stop` waits. */
const CLOSING_S = 15;

/** Writes what lets systemd or launchd keep the gateway running. */
export async function gatewayInstall(input: CommandInput<typeof GATEWAY_INSTALL_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const { config } = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true });
  const unit = planUnit(
    {
      command: ownCommand(...runWords(stateDir, flags)),
      stateDir,
      path: env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
      stopSeconds: (config.gateway?.graceSeconds ?? GRACE_S) + CLOSING_S,
    },
    { env },
  );
  const { manager, path, text, next, manage } = unit;
  const written = flags.print ? false : await writeUnit(unit, flags.force === true);
  if (flags.json) return writeJson(terminal, { manager, path, text, written, next });
  if (flags.print) {
    terminal.write(text);
    return;
  }
  const { green } = terminal.palette;
  terminal.say(
    [
      written ? `${green('Wrote')} ${printable(path)}` : `${printable(path)} is there already`,
      'To let it take effect:',
      ...next.map((command) => `  ${command}`),
      'Afterwards start, stop and restart it with:',
      ...manage.map((command) => `  ${command}`),
      "'openbot gateway start' and 'restart' would start one that the unit does not keep running.",
      '',
    ].join('\n'),
  );
}
