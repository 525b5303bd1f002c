/** OpenClaw's own clients, unchanged and as processes, on the gateway of openbot. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { parsePrinted, runOpenclaw } from '../commands.ts';
import { type ClientsGateway, startOpenbotGateway } from '../openbot-clients-gateway.ts';
import type { Scenario, Scene } from '../scene.ts';
import { openTerminal } from '../terminal.ts';

type Json = Readonly<Record<string, unknown>>;

/** A scenario with a gateway of its own. */
export function onOpenbot(
  name: string,
  run: (scene: Scene, gateway: ClientsGateway) => Promise<void>,
): Scenario {
  return {
    name: `gateway of openbot: ${name}`,
    isWithoutOpenclaw: true,
    async run(scene) {
      const gateway = await startOpenbotGateway(scene.home);
      try {
        await run(scene, gateway);
      } finally {
        await gateway.stop();
      }
    },
  };
}

const KEY = 'agent:main:of-clients';

export const cliClients = onOpenbot(
  'openclaw gateway call, agent, health, status, channels, models, message',
  async (scene, gateway) => {
    const print = (...args: string[]) =>
      runOpenclaw(scene.install, scene.home, args, { env: gateway.clientEnv });
    const json = async (...args: string[]) => parsePrinted(await print(...args, '--json')) as Json;
    const at = ['--url', `ws://127.0.0.1:${gateway.port}`, '--token', gateway.token];
    const call = (method: string, params: object) =>
      json('gateway', 'call', method, '--params', JSON.stringify(params), ...at);

    const answer = await json('agent', '--session-key', KEY, '-m', 'Please print hello');
    equal(answer.status, 'ok');
    const { payloads } = answer.result as { payloads: { text: string }[] };
    deepEqual(
      payloads.map(({ text }) => text),
      ['I print it.', 'It printed hello.'],
    );

    const { sessions } = (await call('sessions.list', { limit: 5 })) as { sessions?: Json[] };
    deepEqual(
      sessions?.map(({ key, status }) => [key, status]),
      [[KEY, 'done']],
    );
    const { entry } = (await call('sessions.patch', { key: KEY, label: 'By a client' })) as { entry?: Json };
    equal(entry?.label, 'By a client');
    const { messages } = (await call('chat.history', { sessionKey: KEY })) as { messages?: Json[] };
    deepEqual(
      messages?.map(({ role }) => role),
      ['user', 'assistant', 'toolResult', 'assistant'],
    );
    await rejects(call('sessions.delete', { key: 'main' }), /Cannot delete the main session/);

    match(await print('health'), /Agents: main \(default\)[\s\S]*agent:main:of-clients/);
    match(await print('status'), new RegExp(`ws://127.0.0.1:${gateway.port}[^✓]*reachable`));
    const status = await json('status');
    deepEqual((status.gateway as Json).reachable, true);
    equal((status.agents as Json).defaultId, 'main');
    equal((status.sessions as Json).count, 1);
    match(await print('status', '--all'), /reachable[\s\S]*Channel issues \(none\)/);
    match(await print('channels', 'status'), /Gateway reachable\.[\s\S]*no configured chat channels/);
    match(await print('models', 'list'), /script\/play\s.*default,configured/);
    await rejects(
      print('message', 'send', '--channel', 'telegram', '--target', '123', '-m', 'hi'),
      /unsupported channel: telegram/,
    );
  },
);

export const terminalClient = onOpenbot(
  'openclaw tui lists, sends, streams, aborts, begins and switches sessions',
  async (scene, gateway) => {
    const command = [process.execPath, scene.install.program, 'tui', '--session', 'first'];
    const terminal = await openTerminal(scene.home, gateway.clientEnv, command);
    try {
      await terminal.waitFor(/session agent:main:first[\s\S]*\| idle/);
      await terminal.enter('Please print hello');
      await terminal.waitFor(/I print it\.[\s\S]*It printed hello\.[\s\S]*\| idle/);

      await terminal.enter('Please count');
      await terminal.waitFor(/one two three four[\s\S]*streaming/);
      await terminal.press('Escape');
      await terminal.waitFor(/run aborted/);
      await terminal.enter('Please fail');
      await terminal.waitFor(/run error: the provider rejected the request/);

      await terminal.enter('/new');
      await terminal.waitFor(/new session: agent:main:tui-/);
      await terminal.enter('the second one');
      await terminal.waitFor(/You said: the second one[\s\S]*\| idle/);

      await terminal.enter('/sessions');
      await terminal.waitFor(/→ .*\(tui-[\s\S]*\(first\)/);
      await terminal.press('Down');
      await terminal.waitFor(/→ .*\(first\)/);
      await terminal.press('Enter');
      const back = await terminal.waitFor(
        /session agent:main:first[\s\S]*It printed hello\.[\s\S]*one two three four/,
      );
      ok(!back.includes('the second one'), back);
      // Once, and without the event that the model read before it.
      equal(back.match(/Please fail/g)?.length, 1, back);
      ok(!back.includes('System:'), back);
    } finally {
      await terminal.close();
    }
  },
);
