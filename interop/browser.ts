/** A page in a real Chromium, and what went wrong in it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePackage } from './install-package.ts';
import type { OpenclawHome } from './openclaw-home.ts';

const PLAYWRIGHT_VERSION = '1.65.1';
const WAIT_LIMIT_MS = 60_000;

/** What scenarios use of Playwright, which is no dependency of the project. */
export interface Locator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  getByText(text: string): Locator;
  first(): Locator;
  last(): Locator;
  textContent(): Promise<string>;
  waitFor(options?: { state: 'visible' | 'hidden' }): Promise<void>;
}

export interface Page {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  url(): string;
  locator(selector: string): Locator;
  getByText(text: string | RegExp, options?: { exact: boolean }): Locator;
  getByPlaceholder(text: RegExp): Locator;
  getByRole(role: string, options: { name: string | RegExp }): Locator;
  on(event: string, listener: (about: never) => void): void;
}

interface Context {
  pages(): Page[];
  setDefaultTimeout(ms: number): void;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: { launchPersistentContext(folder: string, options: object): Promise<Context> };
}

interface WebSocket {
  on(event: string, listener: (frame: { payload: string | Buffer }) => void): void;
}

export interface Browser {
  readonly page: Page;
  /** Errors of the page's own code, files that it did not get, requests that the gateway refused. */
  readonly faults: string[];
  /** Frames with this text that the page has received. */
  countReceived(text: string): number;
  close(): Promise<void>;
}

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function findChromium(): string | undefined {
  const { OPENBOT_INTEROP_CHROMIUM: named } = process.env;
  return (named === undefined ? PLACES : [named]).find(existsSync);
}

export async function openBrowser(home: OpenclawHome): Promise<Browser> {
  const folder = await ensurePackage('playwright-core', PLAYWRIGHT_VERSION);
  const { chromium } = (await import(join(folder, 'index.mjs'))) as Playwright;
  const context = await chromium.launchPersistentContext(join(home.root, 'browser'), {
    executablePath: findChromium(),
    headless: true,
    viewport: { width: 1400, height: 900 },
    // The first two are for containers; the others keep it from asking for anything but the page.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  context.setDefaultTimeout(WAIT_LIMIT_MS);
  const page = context.pages()[0]!;
  const faults: string[] = [];
  const received: string[] = [];
  page.on('pageerror', (error: Error) => faults.push(`error: ${error.message}`));
  page.on('response', (response: { status(): number; url(): string }) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  page.on('websocket', (socket: WebSocket) =>
    socket.on('framereceived', ({ payload }) => {
      received.push(String(payload));
      const { ok, error } = JSON.parse(String(payload)) as { ok?: boolean; error?: { message: string } };
      if (ok === false) faults.push(`refused: ${error?.message}`);
    }),
  );
  return {
    page,
    faults,
    countReceived: (text) => received.filter((frame) => frame.includes(text)).length,
    close: () => context.close(),
  };
}
