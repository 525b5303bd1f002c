/** Before any test runs, the kernel and the bundle of `occ` are made from the sources as they are. */
import type { TestProject } from 'vitest/node';
import { bundleOcc } from '../../packages/occ/build/bundle.ts';
import { makeKernel } from '../../packages/sessions/build/kernel.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Why there is no bundle: those tests fail that run it, and no others. */
    occBundleFault: string | null;
  }
}

export async function setup(project: TestProject): Promise<void> {
  await makeKernel();
  const fault = await bundleOcc().then(
    () => null,
    (error: unknown) => String(error),
  );
  project.provide('occBundleFault', fault);
}
