/** The real OpenClaw, installed from the registry that npm is set to, once per version. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { runCommand } from './started-processes.ts';

/** Where the versions are. */
export const INTEROP_CACHE =
  process.env.OPENBOT_INTEROP_CACHE ?? resolve(import.meta.dirname, '../node_modules/.cache/openbot-interop');

export interface OpenclawInstall {
  readonly version: string;
  /** The program, to be run by Node. */
  readonly program: string;
}

export type Era = 'sqlite' | 'files';

const VERSIONS: Readonly<Record<Era, { version: string; npmOptions: string[] }>> = {
  sqlite: { version: '2026.9.6', npmOptions: [] },
  files: { version: '2026.7.35', npmOptions: ['--omit=optional'] },
};

export async function ensureOpenclaw(era: Era): Promise<OpenclawInstall> {
  const { version, npmOptions } = VERSIONS[era];
  const folder = join(INTEROP_CACHE, `openclaw-${version}`);
  const program = join(folder, 'node_modules/openclaw/openclaw.mjs');
  if (existsSync(program)) return { version, program };

  console.log(`note installing openclaw ${version} into ${folder}; this takes a minute or two`);
  // It gets its name when it is whole, so that an install that was cut off is never used.
  const partial = `${folder}.${process.pid}.partial`;
  await mkdir(partial, { recursive: true });
  try {
    const manifest = { private: true, dependencies: { openclaw: version } };
    await writeFile(join(partial, 'package.json'), JSON.stringify(manifest));
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
    const { code, stderr } = await runCommand('npm', [...args, ...npmOptions], {
      cwd: partial,
      env: npmEnvironment(),
    });
    if (code !== 0) throw new Error(`npm could not install openclaw ${version}:\n${stderr.trim()}`);
    // Another run may have been quicker.
    if (!existsSync(program)) await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return { version, program };
}

/** Ours, without what `npm run` says about this workspace. */
function npmEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^npm_(?!config_registry)|^INIT_CWD$/i.test(name)) env[name] = value;
  }
  return env;
}
