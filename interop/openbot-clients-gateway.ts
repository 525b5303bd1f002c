/** `openbot gateway run` as a process, over a state folder of its own with a scripted model. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPENBOT } from './commands.ts';
import { connectGateway } from './gateway-client.ts';
import { findFreePort, type OpenclawHome } from './openclaw-home.ts';
import { endProcess, hasEnded, startProcess } from './started-processes.ts';

const TOKEN = 'interop-token-of-openbots-gateway';
const START_LIMIT_MS = 60_000;

export interface OpenbotGateway {
  readonly port: number;
  readonly token: string;
  /** The environment of a client of OpenClaw whose settings name this gateway as its remote one. */
  readonly clientEnv: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Turns of the model, by words of the message. A message that has none of them is repeated. */
const TURNS = [
  {
    when: 'print hello',
    steps: [
      { text: 'I print it.' },
      { tool: 'exec', args: { command: 'echo hello' } },
      { text: 'It printed hello.', delayMs: 30 },
    ],
  },
  {
    when: 'wait long',
    steps: [{ text: 'I wait.' }, { tool: 'exec', args: { command: 'sleep 60' } }, { text: 'It is over.' }],
  },
  { when: 'count', steps: [{ text: 'one two three four', delayMs: 60 }, { stall: true }] },
  { when: 'fail', steps: [{ fail: 'the provider rejected the request' }] },
  { when: 'say hi', steps: [{ text: 'Hi there.' }] },
  { steps: [{ text: 'You said: {{prompt}}', delayMs: 10 }] },
];

export async function startOpenbotGateway(home: OpenclawHome): Promise<OpenbotGateway> {
  const place = (name: string): string => join(home.root, name);
  const port = await findFreePort();
  await mkdir(place('openbot/scripts'), { recursive: true });
  await writeFile(place('openbot/scripts/play.json'), JSON.stringify({ turns: TURNS }));
  const config = {
    agents: { defaults: { workspace: home.workspace, model: 'script/play' } },
    tools: { exec: { security: 'full', ask: 'off' } },
    gateway: { port, auth: { token: TOKEN } },
  };
  await writeFile(place('openbot/openbot.json'), JSON.stringify(config), { mode: 0o600 });
  const client = { mode: 'remote', remote: { url: `ws://127.0.0.1:${port}`, token: TOKEN } };
  await mkdir(place('client'), { recursive: true });
  await writeFile(place('client/openclaw.json'), JSON.stringify({ gateway: client }));

  const args = [OPENBOT, 'gateway', 'run', '--state-dir', place('openbot')];
  const outputPath = place('openbot.log');
  const child = startProcess(process.execPath, args, { cwd: home.workspace, env: home.env, outputPath });
  const limit = Date.now() + START_LIMIT_MS;
  for (;;) {
    try {
      (await connectGateway(port, TOKEN)).close();
      break;
    } catch (error) {
      if (hasEnded(child)) throw new Error('the gateway of openbot ended while it started');
      if (Date.now() > limit) throw new Error(`the gateway of openbot does not start: ${String(error)}`);
      await sleep(50);
    }
  }
  return {
    port,
    token: TOKEN,
    clientEnv: { ...home.env, OPENCLAW_STATE_DIR: place('client') },
    stop: () => endProcess(child),
  };
}
