/** OpenClaw's gateway as a process that scenarios start and stop, and a connection to it. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectGateway, type GatewayClient } from './gateway-client.ts';
import type { OpenclawInstall } from './install-openclaw.ts';
import { type OpenclawHome, TOKEN } from './openclaw-home.ts';
import { endProcess, hasEnded, startProcess } from './started-processes.ts';

const START_LIMIT_MS = 300_000;

export interface Gateway {
  /** Does nothing where it runs. `env` is added to that of its home. */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
  /** Throws where it does not run. */
  client(): GatewayClient;
}

export function makeGateway(install: OpenclawInstall, home: OpenclawHome): Gateway {
  let gateway: ChildProcess | undefined;
  let client: GatewayClient | undefined;

  async function connect(child: ChildProcess): Promise<GatewayClient> {
    const limit = Date.now() + START_LIMIT_MS;
    for (;;) {
      try {
        return await connectGateway(home.port, TOKEN);
      } catch (error) {
        if (hasEnded(child)) throw new Error('the gateway ended while it started');
        if (Date.now() > limit) throw new Error(`the gateway does not start: ${String(error)}`);
        await sleep(200);
      }
    }
  }

  return {
    async start(env = {}) {
      if (gateway !== undefined && !hasEnded(gateway)) return;
      const args = [install.program, 'gateway', 'run', '--port', String(home.port)];
      gateway = startProcess(process.execPath, args, {
        cwd: home.workspace,
        env: { ...home.env, ...env },
        outputPath: home.outputPath,
      });
      client = await connect(gateway);
    },
    async stop() {
      client?.close();
      client = undefined;
      if (gateway !== undefined) await endProcess(gateway);
      gateway = undefined;
    },
    client() {
      if (client === undefined) throw new Error('the gateway does not run');
      return client;
    },
  };
}
