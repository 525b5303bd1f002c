/** Where one OpenClaw lives during the run: HOME, state folder, workspace and settings of its own in a temp folder. */
import { realpathSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

export const TOKEN = 'interop-token';
/** Of the model, as its settings say. */
export const CONTEXT_WINDOW = 128_000;
/** Offered through the Messages API. OpenClaw keeps what this model thought in earlier turns. */
export const THINKING_MODEL = 'anthropic/claude-sonnet-4-6';
/** Its thinking counts only behind what was said before it. */
export const BINDING_MODEL = 'anthropic/claude-opus-5-5';

const OCC = resolve(import.meta.dirname, '../packages/occ/bin/occ.js');

/** Base addresses of the imitated providers. */
export interface Providers {
  readonly chatUrl: string;
  readonly messagesUrl: string;
}

export interface OpenclawHome {
  readonly root: string;
  readonly state: string;
  readonly workspace: string;
  /** What OpenClaw logs, one JSON object a line. */
  readonly logPath: string;
  /** What the gateway's process prints. */
  readonly outputPath: string;
  readonly port: number;
  /** The whole environment of OpenClaw and occ; `occ` is on its PATH. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** @param model of conversations that name none */
export async function makeOpenclawHome(
  providers: Providers,
  model = 'imitation/imitation',
): Promise<OpenclawHome> {
  const root = realpathSync(await mkdtemp(join(tmpdir(), 'openbot-interop-')));
  const place = (name: string): string => join(root, name);
  for (const name of ['home', 'state', 'work', 'bin', 'temp']) await mkdir(place(name));
  const home: OpenclawHome = {
    root,
    state: place('state'),
    workspace: place('work'),
    logPath: place('openclaw.log'),
    outputPath: place('gateway.log'),
    port: await findFreePort(),
    env: {
      PATH: [place('bin'), dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
      HOME: place('home'),
      USERPROFILE: place('home'),
      TMPDIR: place('temp'),
      OPENCLAW_STATE_DIR: place('state'),
      OPENCLAW_DISABLE_BONJOUR: '1',
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
  await writeFile(
    join(home.state, 'openclaw.json'),
    JSON.stringify(settings(home, providers, model), null, 2),
  );
  await writeFile(place('bin/occ'), `#!/bin/sh\nexec '${process.execPath}' '${OCC}' "$@"\n`);
  await chmod(place('bin/occ'), 0o755);
  for (const [name, lines] of [
    ['small', 100],
    ['large', 500],
  ] as const) {
    for (const number of [1, 2, 3, 4]) {
      const path = join(home.workspace, `${name}${number}.txt`);
      await writeFile(path, fileText(`${name.toUpperCase()}-${number}`, lines));
    }
  }
  return home;
}

function settings(home: OpenclawHome, { chatUrl, messagesUrl }: Providers, primary: string): object {
  const model = {
    id: 'imitation',
    name: 'Imitation',
    reasoning: false,
    input: ['text'],
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
    contextWindow: CONTEXT_WINDOW,
    maxTokens: 4096,
  };
  return {
    gateway: {
      mode: 'local',
      port: home.port,
      bind: 'loopback',
      auth: { mode: 'token', token: TOKEN },
      controlUi: { enabled: false },
    },
    agents: {
      defaults: {
        workspace: home.workspace,
        skipBootstrap: true,
        model: { primary },
        ...(primary === BINDING_MODEL && {
          thinkingDefault: 'low',
          utilityModel: '',
          contextTokens: CONTEXT_WINDOW,
        }),
        heartbeat: { every: '0m' },
      },
    },
    models: {
      mode: 'replace',
      providers: {
        imitation: { baseUrl: chatUrl, apiKey: 'none', api: 'openai-completions', models: [model] },
        anthropic: {
          baseUrl: messagesUrl,
          apiKey: 'none',
          api: 'anthropic-messages',
          models: [
            { ...model, id: 'claude-sonnet-4-6', name: 'Claude Sonnet 4.6', reasoning: true },
            { ...model, id: 'claude-opus-5-5', name: 'Claude Opus 5.5', reasoning: true },
          ],
        },
      },
    },
    // With code mode, which the SQLite era has for some models, `exec` takes JavaScript and there is no `read`.
    tools: { exec: { host: 'gateway', security: 'full', ask: 'off' }, codeMode: false },
    update: { checkOnStart: false },
    logging: { level: 'debug', file: home.logPath },
  };
}

/** The first line is `<name>`; the rest is text that no compression and no estimate finds strange. */
function fileText(name: string, lines: number): string {
  const words = 'lorem ipsum dolor sit amet consectetur adipiscing elit sed do'.split(' ');
  const rest = Array.from({ length: lines }, (_, at) => {
    const turn = (at * 7919) % words.length;
    return `${name} line ${at}: ${[...words.slice(turn), ...words.slice(0, turn)].join(' ')}`;
  });
  return `${[name, ...rest].join('\n')}\n`;
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolved, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolved);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolved) => server.close(() => resolved()));
  return port;
}
