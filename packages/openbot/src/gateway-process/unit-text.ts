import { hash } from 'node:crypto';
import { join } from 'node:path';

/** What keeps a gateway running on a machine: a unit of systemd for a user, or an agent of launchd. */
export interface UnitFacts {
  /** The program first. */
  readonly command: readonly string[];
  readonly stateDir: string;
  /** The commands of agents are looked for in it. */
  readonly path: string;
  /** How long it may take to stop. */
  readonly stopSeconds: number;
}

/** The usual state folder has the plain name; others have one of their own, so that several gateways can be installed. */
export function nameUnit(
  stateDir: string,
  home: string,
): { readonly systemd: string; readonly launchd: string } {
  const mark = stateDir === join(home, '.openbot') ? '' : hash('sha256', stateDir).slice(0, 8);
  return {
    systemd: `openbot-gateway${mark && `-${mark}`}.service`,
    launchd: `ai.openbot.gateway${mark && `.${mark}`}`,
  };
}

export function formatSystemdUnit({ command, stateDir, path, stopSeconds }: UnitFacts): string {
  return `[Unit]
Description=openbot gateway of ${escapePercent(stateDir)}
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=${command.map(quoteForSystemd).join(' ')}
WorkingDirectory=${escapePercent(stateDir)}
Environment=${quoteForSystemd(`PATH=${path}`)}
# Keys of models, as NAME=value. It need not exist; only its owner should be able to read it.
EnvironmentFile=-${escapePercent(stateDir)}/gateway.env
# 'openbot gateway stop' ends it with success, and it stays so until it is started.
Restart=on-failure
RestartSec=2
KillMode=mixed
TimeoutStopSec=${stopSeconds}
UMask=0077

[Install]
WantedBy=default.target
`;
}

/** In double quotes; `%` and `$` begin what systemd fills in. */
function quoteForSystemd(text: string): string {
  return `"${escapePercent(text).replace(/["\\]/g, '\\$&').replaceAll('$', '$$$$')}"`;
}

function escapePercent(text: string): string {
  return text.replaceAll('%', '%%');
}

export function formatLaunchdPlist(
  { command, stateDir, path, stopSeconds }: UnitFacts,
  label: string,
): string {
  const text = (value: string) => `<string>${escapeXml(value)}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>${text(label)}
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    ${text(word)}`).join('\n')}
  </array>
  <key>WorkingDirectory</key>${text(stateDir)}
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>${text(path)}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key><false/>
  </dict>
  <key>ExitTimeOut</key><integer>${stopSeconds}</integer>
  <key>Umask</key><integer>63</integer>
</dict>
</plist>
`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
