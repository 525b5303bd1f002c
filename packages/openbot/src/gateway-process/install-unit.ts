import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { writeFileAtomic } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { formatLaunchdPlist, formatSystemdUnit, nameUnit, type UnitFacts } from './unit-text.ts';

export interface PlannedUnit {
  readonly manager: 'systemd' | 'launchd';
  readonly path: string;
  readonly text: string;
  /** Commands that let it take effect. */
  readonly next: readonly string[];
  /** By which it is started, stopped and restarted. */
  readonly manage: readonly string[];
}

/** Throws USAGE where the system has neither. */
export function planUnit(
  facts: UnitFacts,
  { env, platform = process.platform }: { readonly env: Environment; readonly platform?: NodeJS.Platform },
): PlannedUnit {
  const home = env.HOME;
  const wrong = [...facts.command, facts.stateDir, facts.path].find((one) => /\p{Cc}/u.test(one));
  if (wrong !== undefined || home === undefined || home === '')
    throw new OpenBotError(
      'USAGE',
      home
        ? 'A path with a control character cannot be written into a unit'
        : 'There is no home folder: HOME is not set',
      { hint: 'To start it without one: openbot gateway start' },
    );
  const { systemd, launchd } = nameUnit(facts.stateDir, home);
  if (platform === 'darwin') {
    const path = join(home, 'Library', 'LaunchAgents', `${launchd}.plist`);
    const target = `gui/$(id -u)/${launchd}`;
    return {
      manager: 'launchd',
      path,
      text: formatLaunchdPlist(facts, launchd),
      next: [`launchctl bootstrap gui/$(id -u) ${quoteForShell(path)}`],
      manage: ['kickstart', 'kill TERM', 'kickstart -k'].map((verb) => `launchctl ${verb} ${target}`),
    };
  }
  if (platform !== 'linux')
    throw new OpenBotError('USAGE', `There is no unit for ${platform}`, {
      hint: 'To start it without one: openbot gateway start',
    });
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  return {
    manager: 'systemd',
    path: join(config, 'systemd', 'user', systemd),
    text: formatSystemdUnit(facts),
    next: [
      'systemctl --user daemon-reload',
      `systemctl --user enable --now ${systemd}`,
      'loginctl enable-linger # it runs while you are not logged in, too',
    ],
    manage: ['start', 'stop', 'restart'].map((verb) => `systemctl --user ${verb} ${systemd}`),
  };
}

/** Resolves to whether the file was changed. Throws USAGE where there is another one. */
export async function writeUnit({ path, text }: PlannedUnit, force: boolean): Promise<boolean> {
  if (existsSync(path)) {
    if (readFileSync(path, 'utf8') === text) return false;
    if (!force)
      throw new OpenBotError('USAGE', `${path} exists, and says something else. It was not changed`, {
        hint: 'Add --force to replace it, or --print to see the text',
      });
  }
  await writeFileAtomic(path, text);
  return true;
}
