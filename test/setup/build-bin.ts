/** Before any test runs, the kernel and the bundles of `occ` and `openbot` are made from the sources as they are. */
import type { TestProject } from 'vitest/node';
import { bundleOcc } from '../../packages/occ/build/bundle.ts';
import { bundleOpenbot } from '../../packages/openbot/build/bundle.ts';
import { makeKernel } from '../../packages/sessions/build/kernel.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Why there is no bundle: those tests fail that run it, and no others. */
    occBundleFault: string | null;
    openbotBundleFault: string | null;
  }
}

export async function setup(project: TestProject): Promise<void> {
  await makeKernel();
  project.provide('occBundleFault', await faultOf(bundleOcc()));
  project.provide('openbotBundleFault', await faultOf(bundleOpenbot()));
}

function faultOf(work: Promise<void>): Promise<string | null> {
  return work.then(
    () => null,
    (error: unknown) => String(error),
  );
}
