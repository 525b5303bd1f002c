/** telegram-test-api, which others wrote: it knows few methods, and forgets what it has given out. */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterTest } from '../../../../../test/setup/cleaning.ts';

export interface Emulator {
  readonly config: { readonly apiURL: string };
  start(): Promise<void>;
  stop(): Promise<boolean>;
  getClient(
    token: string,
    /** How long `getUpdates` waits for what the bot says. ms */
    options?: { readonly timeout: number },
  ): {
    makeMessage(text: string): unknown;
    sendMessage(message: unknown): Promise<unknown>;
    getUpdates(): Promise<{ result: { message: { text: string; parse_mode?: string } }[] }>;
  };
}

/** The package takes no port of the system's choice. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function startEmulator(): Promise<Emulator> {
  const TelegramServer = createRequire(import.meta.url)('telegram-test-api') as new (
    config: object,
  ) => Emulator;
  const emulator = new TelegramServer({ port: await freePort(), host: '127.0.0.1' });
  await emulator.start();
  afterTest(() => emulator.stop());
  return emulator;
}
