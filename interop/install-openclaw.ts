/** The real OpenClaw of both eras. */
import { join, resolve } from 'node:path';
import { installApart } from '../packages/sessions/build/install-apart.ts';

const CACHE =
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
  const { version } = VERSIONS[era];
  const folder = await installApart({ name: 'openclaw', cache: CACHE, ...VERSIONS[era] });
  return { version, program: join(folder, 'openclaw.mjs') };
}
