import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Provider, ProviderStreams } from '@earendil-works/pi-ai';
import { OpenBotError } from '@openbot/sessions';

const NAME = '@earendil-works/pi-coding-agent';

/** What is used of it, and the files that have that. Its index loads a terminal interface too, and takes twice as long. */
const USED = [
  'SessionManager',
  'sessionEntryToContextMessages',
  'convertToLlm',
  'DEFAULT_COMPACTION_SETTINGS',
  'calculateContextTokens',
  'compact',
  'estimateTokens',
  'findCutPoint',
  'shouldCompact',
] as const;
const FILES = ['session-manager.js', 'messages.js', join('compaction', 'compaction.js')];

/** pi's SDK. It is three packages, and only the first is installed by people. */
export interface Pi {
  readonly coding: Pick<typeof import('@earendil-works/pi-coding-agent'), (typeof USED)[number]>;
  readonly core: typeof import('@earendil-works/pi-agent-core');
  readonly ai: typeof import('@earendil-works/pi-ai');
  readonly builtinProviders: () => Provider[];
  /** The implementation of an API kind such as `anthropic-messages`, loaded at its first request; undefined for an unknown one. */
  findApi(kind: string): ProviderStreams | undefined;
}

/** @throws OpenBotError SDK_NOT_INSTALLED */
export async function loadPi(from: string = import.meta.url): Promise<Pi> {
  const { folder, coreFolder, aiFolder } = findFolders(from);
  if (folder === undefined || coreFolder === undefined || aiFolder === undefined) return missing();
  try {
    const [coding, core, ai, { builtinProviders }] = await Promise.all([
      loadCoding(join(folder, 'dist')),
      load(coreFolder, 'dist', 'index.js'),
      load(aiFolder, 'dist', 'index.js'),
      load(aiFolder, 'dist', 'providers', 'all.js'),
    ]);
    const findApi = (kind: string): ProviderStreams | undefined => {
      const path = join(aiFolder, 'dist', 'api', `${kind}.js`);
      return /^[a-z-]+$/.test(kind) && existsSync(path) ? ai.lazyApi(() => load(path)) : undefined;
    };
    return { coding, core, ai, builtinProviders, findApi };
  } catch (cause) {
    throw new OpenBotError(
      'SDK_NOT_INSTALLED',
      `the package ${NAME} cannot be loaded: ${(cause as Error).message}`,
      { hint: `npm install ${NAME}`, cause },
    );
  }
}

/** Whether pi is installed and may have models of the provider, by the names of its files: loading pi takes far longer. */
export function hasPiProvider(provider: string, from: string = import.meta.url): boolean {
  const { aiFolder } = findFolders(from);
  if (aiFolder === undefined || !/^[a-z0-9-]+$/.test(provider)) return false;
  const data = join(aiFolder, 'dist', 'providers', 'data');
  // Another version may have its lists elsewhere.
  return !existsSync(data) || existsSync(join(data, `${provider}.json`));
}

function findFolders(from: string) {
  const folder = findPackage(NAME, from);
  if (folder === undefined) return {};
  // A global installation keeps the packages of pi inside of it, where only pi itself finds them by name.
  const inside = join(folder, 'package.json');
  return {
    folder,
    coreFolder: findPackage('@earendil-works/pi-agent-core', inside),
    aiFolder: findPackage('@earendil-works/pi-ai', inside),
  };
}

/** A version that has its files in other places is loaded whole. */
async function loadCoding(folder: string): Promise<Pi['coding']> {
  const paths = FILES.map((file) => join(folder, 'core', file));
  if (paths.every(existsSync)) {
    const found = Object.assign({}, ...(await Promise.all(paths.map((path) => load(path)))));
    if (USED.every((name) => name in found)) return found;
  }
  return load(folder, 'index.js');
}

function load(...path: string[]) {
  return import(pathToFileURL(join(...path)).href);
}

/** Looks where Node would. Its own search is of no use: the packages allow no `require`. */
function findPackage(name: string, from: string): string | undefined {
  const folders = createRequire(from).resolve.paths(name) ?? [];
  return folders
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')));
}

function missing(): never {
  throw new OpenBotError('SDK_NOT_INSTALLED', `the package ${NAME}, or one that it needs, is not installed`, {
    hint: `npm install ${NAME}`,
  });
}
