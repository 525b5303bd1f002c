/**
 * Before any test runs, the kernel and the bundles of `occ` and `openbot` are made from the sources as they are. Commands
 * that tests start share what Node compiled of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundleOcc } from '../../packages/occ/build/bundle.ts';
import { bundleOpenbot } from '../../packages/openbot/build/bundle.ts';
import { makeKernel } from '../../packages/sessions/build/kernel.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Why there is no bundle: those tests fail that run it, and no others. */
    occBundleFault: string | null;
    openbotBundleFault: string | null;
    /** The compile cache of the commands that tests start. */
    compiled: string;
  }
}

export async function setup(project: TestProject): Promise<() => void> {
  await makeKernel();
  project.provide('occBundleFault', await faultOf(bundleOcc()));
  project.provide('openbotBundleFault', await faultOf(bundleOpenbot()));
  const compiled = mkdtempSync(join(tmpdir(), 'openbot-test-compiled-'));
  project.provide('compiled', compiled);
  return () => rmSync(compiled, { recursive: true, force: true });
}

function faultOf(work: Promise<void>): Promise<string | null> {
  return work.then(
    () => null,
    (error: unknown) => String(error),
  );
}
