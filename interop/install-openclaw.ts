/** The real OpenClaw of both eras. */
import { join } from 'node:path';
import { ensurePackage } from './install-package.ts';

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

export const OPENCLAW_VERSIONS: readonly string[] = Object.values(VERSIONS).map(({ version }) => version);

export async function ensureOpenclaw(era: Era): Promise<OpenclawInstall> {
  const { version, npmOptions } = VERSIONS[era];
  return { version, program: join(await ensurePackage('openclaw', version, { npmOptions }), 'openclaw.mjs') };
}
