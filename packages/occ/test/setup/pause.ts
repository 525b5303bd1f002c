import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { cleanEnvironment, OCC_LAUNCHER, type OccRun } from './run-occ.ts';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'pause-preload.mjs')).href;

export interface PausedOcc {
  /** Lets it go on, and waits for its end. */
  goOn(): Promise<OccRun>;
}

/** Runs the real command up to the moment before or after a file gets the name `path`, by which others see it. */
export async function pauseOcc(
  args: readonly string[],
  pause: { readonly path: string; readonly when: 'before' | 'after' },
  env: Readonly<Record<string, string>>,
): Promise<PausedOcc> {
  const child = spawn(process.execPath, ['--import', PRELOAD, OCC_LAUNCHER, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: cleanEnvironment({ ...env, PAUSE: JSON.stringify(pause) }),
  });
  const [, stdout, stderr, paused, goOn] = child.stdio as [null, Readable, Readable, Duplex, Writable];
  const ended = Promise.all([once(child, 'close'), text(stdout), text(stderr)]).then(
    ([[code], out, complaint]): OccRun => ({ code, stdout: out, stderr: complaint }),
  );
  // The pipe ends without a word when the command does.
  for await (const _ of paused) {
    return {
      goOn: () => {
        goOn.end('.');
        return ended;
      },
    };
  }
  throw new Error(`The command ended without a pause: ${JSON.stringify(await ended)}`);
}
