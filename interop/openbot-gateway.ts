/** `openbot gateway run` as a process that scenarios start and stop, with a state folder of its own. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPENBOT } from './commands.ts';
import { findFreePort, type OpenclawHome } from './openclaw-home.ts';
import { endProcess, hasEnded, startProcess } from './started-processes.ts';

const START_LIMIT_MS = 60_000;

export interface OpenbotGateway {
  readonly stateDir: string;
  readonly token: string;
  /** `http://127.0.0.1:<port>`, the same after each start. */
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface OpenbotPlace {
  /** `gateway` is completed with the token. */
  readonly config: { readonly gateway?: object; readonly [section: string]: unknown };
  /** By the names of the models: `play` is `script/play`. */
  readonly scripts: Readonly<Record<string, object>>;
}

export async function makeOpenbotGateway(
  home: OpenclawHome,
  name: string,
  { config, scripts }: OpenbotPlace,
): Promise<OpenbotGateway> {
  const stateDir = join(home.root, name);
  const token = `interop-${'0123456789abcdef'.repeat(3)}`;
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(join(stateDir, 'scripts'), { recursive: true });
  const whole = { ...config, gateway: { ...config.gateway, auth: { token } } };
  writeFileSync(join(stateDir, 'openbot.json'), JSON.stringify(whole, null, 2), { mode: 0o600 });
  for (const [model, script] of Object.entries(scripts))
    writeFileSync(join(stateDir, 'scripts', `${model}.json`), JSON.stringify(script));
  let child: ChildProcess | undefined;

  return {
    stateDir,
    token,
    url,
    async start() {
      child = startProcess(process.execPath, [OPENBOT, 'gateway', 'run', '--port', String(port)], {
        cwd: home.workspace,
        env: { ...home.env, OPENBOT_STATE_DIR: stateDir },
        outputPath: home.outputPath,
      });
      const limit = Date.now() + START_LIMIT_MS;
      while (!(await isReady(url))) {
        if (hasEnded(child)) throw new Error('openbot gateway run ended while it started');
        if (Date.now() > limit) throw new Error('openbot gateway run does not become ready');
        await sleep(50);
      }
    },
    async stop() {
      if (child !== undefined) await endProcess(child);
      child = undefined;
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
