import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type ParsedFile, parseSources } from './parse.ts';

export interface Package {
  /** Its folder under `packages/`. */
  readonly folder: string;
  readonly name: string;
  readonly dependencies: readonly string[];
  /** Those among them that the user of the package installs, with their ranges. */
  readonly peers: Readonly<Record<string, string>>;
  /** The specifiers that its `exports` offers. */
  readonly offers: readonly string[];
  /** Folders of the packages in its tsconfig references. */
  readonly references: readonly string[];
}

export interface Workspace {
  readonly packages: readonly Package[];
  readonly files: readonly ParsedFile[];
}

export const REPOSITORY = join(import.meta.dirname, '..', '..');

/** Every package.json, tsconfig.json and source file of the packages, by path relative to the workspace. */
export function readWorkspaceTexts(root: string = REPOSITORY): Map<string, string> {
  const texts = new Map<string, string>();
  const read = (path: string): void => {
    if (existsSync(join(root, path))) texts.set(path, readFileSync(join(root, path), 'utf8'));
  };
  for (const folder of readdirSync(join(root, 'packages')).sort()) {
    read(`packages/${folder}/package.json`);
    read(`packages/${folder}/tsconfig.json`);
    const source = `packages/${folder}/src`;
    if (!existsSync(join(root, source))) continue;
    for (const name of readdirSync(join(root, source), { recursive: true, encoding: 'utf8' }).sort()) {
      if (/\.[cm]?tsx?$/.test(name)) read(`${source}/${name.replaceAll('\\', '/')}`);
    }
  }
  return texts;
}

export function parseWorkspace(texts: ReadonlyMap<string, string>): Workspace {
  const sources = new Map([...texts].filter(([path]) => !path.endsWith('.json')));
  const folders = [...texts.keys()].filter((path) => path.endsWith('/package.json')).map(folderOf);
  return {
    packages: folders.map((folder) => readPackage(folder, texts)),
    files: parseSources(sources),
  };
}

function readPackage(folder: string, texts: ReadonlyMap<string, string>): Package {
  const manifest = JSON.parse(texts.get(`packages/${folder}/package.json`) ?? '{}');
  const config = JSON.parse(texts.get(`packages/${folder}/tsconfig.json`) ?? '{}');
  const groups = [manifest.dependencies, manifest.peerDependencies, manifest.optionalDependencies];
  return {
    folder,
    name: manifest.name,
    dependencies: groups.flatMap((group) => Object.keys(group ?? {})),
    peers: manifest.peerDependencies ?? {},
    offers: Object.keys(manifest.exports ?? { '.': '' }).map((entry) => manifest.name + entry.slice(1)),
    references: (config.references ?? []).map((reference: { path: string }) => basename(reference.path)),
  };
}

/** `sessions` for `packages/sessions/src/key/build.ts`. */
export function folderOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** `key` for `packages/sessions/src/key/build.ts`, `errors` for `…/src/errors.ts`, `storage/pi` for `…/src/storage/pi/x.ts`. */
export function roomOf(path: string): string {
  const [, , , room = '', inner = ''] = path.split('/');
  const name = room === 'storage' ? `${room}/${inner}` : room;
  return name.replace(/\.[cm]?tsx?$/, '');
}
