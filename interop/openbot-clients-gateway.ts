/** `openbot gateway run` for clients of OpenClaw, with a scripted model. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOpenbotGateway } from './openbot-gateway.ts';
import type { OpenclawHome } from './openclaw-home.ts';

export interface ClientsGateway {
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

export async function startOpenbotGateway(home: OpenclawHome): Promise<ClientsGateway> {
  const gateway = await makeOpenbotGateway(home, 'openbot', {
    config: {
      agents: { defaults: { workspace: home.workspace, model: 'script/play' } },
      tools: { exec: { security: 'full', ask: 'off' } },
    },
    scripts: { play: { turns: TURNS } },
  });
  const { url, token } = gateway;
  const client = { mode: 'remote', remote: { url: url.replace('http', 'ws'), token } };
  const clientDir = join(home.root, 'client');
  await mkdir(clientDir, { recursive: true });
  await writeFile(join(clientDir, 'openclaw.json'), JSON.stringify({ gateway: client }));
  await gateway.start();
  return {
    port: Number(new URL(url).port),
    token,
    clientEnv: { ...home.env, OPENCLAW_STATE_DIR: clientDir },
    stop: () => gateway.stop(),
  };
}
