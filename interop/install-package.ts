/** Packages that scenarios use and the project does not depend on, from the registry that npm is set to, once per version. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { runCommand } from './started-processes.ts';

/** Where the versions are. */
export const INTEROP_CACHE =
  process.env.OPENBOT_INTEROP_CACHE ?? resolve(import.meta.dirname, '../node_modules/.cache/openbot-interop');

/** What takes the place of packages that a registry may not have: by the name of the package, its files. */
export type StandIns = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface InstallOptions {
  readonly npmOptions?: readonly string[];
  readonly standIns?: StandIns;
  /** Versions of packages below it, in the place of those that it asks for. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** Packages whose scripts may run. */
  readonly allowScripts?: readonly string[];
}

/** Installs it where it is not yet, and returns its folder. */
export async function ensurePackage(
  name: string,
  version: string,
  { npmOptions = [], standIns = {}, overrides = {}, allowScripts = [] }: InstallOptions = {},
): Promise<string> {
  const folder = join(INTEROP_CACHE, `${name}-${version}`);
  const installed = join(folder, 'node_modules', name);
  if (existsSync(installed)) return installed;

  console.log(`note installing ${name} ${version} into ${folder}; this takes a minute or two`);
  // It gets its name when it is whole, so that an install that was cut off is never used.
  const partial = `${folder}.${process.pid}.partial`;
  await mkdir(partial, { recursive: true });
  try {
    const standing = await writeStandIns(partial, standIns);
    const manifest = {
      private: true,
      dependencies: { [name]: version },
      overrides: { ...overrides, ...standing },
      allowScripts: Object.fromEntries(allowScripts.map((one) => [one, true])),
    };
    await writeFile(join(partial, 'package.json'), JSON.stringify(manifest));
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
    if (allowScripts.length === 0) args.push('--ignore-scripts');
    const { code, stderr } = await runCommand('npm', [...args, ...npmOptions], {
      cwd: partial,
      env: npmEnvironment(),
    });
    if (code !== 0) throw new Error(`npm could not install ${name} ${version}:\n${stderr.trim()}`);
    // Another run may have been quicker.
    if (!existsSync(installed)) await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return installed;
}

/** @returns where npm finds each */
async function writeStandIns(folder: string, standIns: StandIns): Promise<Record<string, string>> {
  const places: Record<string, string> = {};
  for (const [name, files] of Object.entries(standIns)) {
    const place = join('stand-ins', name.replaceAll(/[^a-z-]/g, '_'));
    await mkdir(join(folder, place), { recursive: true });
    const manifest = {
      name,
      version: '0.0.0',
      type: 'module',
      exports: { '.': './index.js', './*': './index.js' },
    };
    await writeFile(join(folder, place, 'package.json'), JSON.stringify(manifest));
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, place, file), text);
    places[name] = `file:./${place}`;
  }
  return places;
}

/** Ours, without what `npm run` says about this workspace. */
function npmEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^npm_(?!config_registry)|^INIT_CWD$/i.test(name)) env[name] = value;
  }
  return env;
}
