/** Prints how a torture can be run again, before it and after it. */
import type { TestProject } from 'vitest/node';

export function setup(project: TestProject): () => void {
  const { seed, scale, kills } = project.getProvidedContext().torture!;
  const killing = kills === undefined ? '' : `TORTURE_KILLS=${kills} `;
  const print = () =>
    console.log(`\nTORTURE_SEED=${seed ?? 'own'} TORTURE_SCALE=${scale} ${killing}npm run torture\n`);
  print();
  return print;
}
