import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@openbot/sessions/layout';
import { backgroundClock, type Clock } from '../clock.ts';
import { Listeners } from '../listeners.ts';
import type { BotConfig } from './bot-config.ts';
import {
  CONFIG_FILE_NAME,
  findConfigFile,
  type LoadedConfig,
  loadBotConfig,
  OPENCLAW_NAMES,
} from './load-config.ts';

/** The configuration of a process that stays open. */
export interface WatchedConfig {
  /** Each of its sections is what the file says now. Copied, it stays as it is. */
  readonly config: BotConfig;
  /** As it was read last without faults. */
  readonly loaded: LoadedConfig;
  /** Why the files as they are now are not used. */
  readonly fault: string | undefined;
  /** Called after each change. Returns the function that ends it. */
  onChange(listener: () => void): () => void;
  /** Looks at once, as for a signal. */
  look(): Promise<void>;
  close(): void;
}

/** Looking at a file or two costs less than what tells of changes in a folder, and works on every disk. */
const LOOK_EVERY_MS = 500;

/**
 * Reads the configuration again when its file, one that it includes, or that of a secret changes. A file that is wrong is reported once, and
 * what was read before stays. So is one that is gone: its rules hold until it is back. At the start, `former` is what was read before, by another
 * process; without it, a file that is wrong throws CONFIG_INVALID.
 */
export async function watchConfig(
  stateDir: string,
  env: Environment,
  {
    report,
    former,
    clock = backgroundClock,
  }: { report(message: string): void; former?: LoadedConfig; clock?: Clock },
): Promise<WatchedConfig> {
  /** The files of the last attempt, each as it was just before it was read. */
  let seen = new Map<string, string>();
  const onFile = (path: string) => void (seen.has(path) || seen.set(path, stampOf(path)));
  const startLooking = () => {
    seen = new Map();
    // Those that would be read in its place, too.
    for (const name of [CONFIG_FILE_NAME, ...OPENCLAW_NAMES]) onFile(join(stateDir, name));
  };
  startLooking();
  const stampNow = () => [...seen.keys()].map(stampOf).join();
  let isGone = former !== undefined && isRemoved(former, findConfigFile(stateDir));
  let fault: string | undefined;
  const loadFirst = async () => {
    if (former === undefined) return loadBotConfig(stateDir, env, { onFile });
    if (isGone) return former;
    try {
      return await loadBotConfig(stateDir, env, { onFile });
    } catch (error) {
      fault = (error as Error).message;
      return former;
    }
  };
  let loaded = await loadFirst();
  let pending = '';
  let cancel = () => {};
  let isClosed = false;
  const listeners = new Listeners('of the configuration');

  const read = async () => {
    try {
      startLooking();
      const wasGone = isGone;
      isGone = isRemoved(loaded, findConfigFile(stateDir));
      if (isGone) {
        fault = `${loaded.openclawPath ?? loaded.path} is gone`;
        if (!wasGone) report(`${fault}. What it said holds until it is back`);
        return;
      }
      const next = await loadBotConfig(stateDir, env, { onFile });
      const fixed = keepFixed(loaded.config, next.config, report);
      loaded = { ...next, config: fixed };
      fault = undefined;
      for (const notice of next.notices) report(notice);
      listeners.call();
    } catch (error) {
      fault = (error as Error).message;
      report(`The configuration is wrong, and the former one is used until it is corrected. ${fault}`);
    }
  };
  const look = async () => {
    const now = stampNow();
    if (now === [...seen.values()].join()) {
      pending = now;
      return;
    }
    // A file that is being written is read when it is done.
    if (now !== pending) {
      pending = now;
      return;
    }
    await read();
  };
  const sleep = () => {
    if (isClosed) return;
    cancel = clock.after(LOOK_EVERY_MS, () => {
      look()
        .catch((error: unknown) => report(`Cannot look at the configuration: ${String(error)}`))
        .finally(sleep);
    });
  };
  sleep();
  return {
    config: followConfig(() => loaded.config),
    get loaded() {
      return loaded;
    },
    get fault() {
      return fault;
    },
    onChange: (listener) => listeners.add(listener),
    look: async () => {
      pending = stampNow();
      await look();
    },
    close: () => {
      isClosed = true;
      cancel();
      listeners.end();
    },
  };
}

type Place = Pick<LoadedConfig, 'path' | 'exists' | 'openclawPath'>;

/** Without its file a bot would lose its rules, such as who may write to it. A file of OpenClaw takes the place of none that was read. */
function isRemoved(before: Place, now: Place): boolean {
  return !now.exists && (before.exists || (before.openclawPath ?? now.openclawPath) !== now.openclawPath);
}

/** What changes with the content of a file, or with what keeps it from being read. */
function stampOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stats === undefined ? 'none' : `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unreadable';
  }
}

/** The store is open, and the index is fed or not: both stay what they were. */
function keepFixed(before: BotConfig, after: BotConfig, report: (message: string) => void): BotConfig {
  const { store } = before.session ?? {};
  const { enabled } = before.index ?? {};
  const hasStore = after.session?.store !== store;
  const hasIndex = (after.index?.enabled ?? true) !== (enabled ?? true);
  if (hasStore) report('session.store has changed. It holds after a restart');
  if (hasIndex) report('index.enabled has changed. It holds after a restart');
  return {
    ...after,
    ...(hasStore ? { session: { ...after.session, store } } : {}),
    ...(hasIndex ? { index: { ...after.index, enabled } } : {}),
  };
}

const SECTIONS = {
  agents: true,
  bindings: true,
  session: true,
  channels: true,
  messages: true,
  attachments: true,
  tools: true,
  claudeCode: true,
  skills: true,
  models: true,
  index: true,
  usage: true,
  gateway: true,
  commands: true,
} satisfies Record<keyof BotConfig, true>;

function followConfig(current: () => BotConfig): BotConfig {
  const config: BotConfig = {};
  for (const name of Object.keys(SECTIONS) as (keyof BotConfig)[]) {
    Object.defineProperty(config, name, { enumerable: true, get: () => current()[name] });
  }
  return config;
}
