import { rmSync, statSync, writeFileSync } from 'node:fs';

/** Comes back when what is written now has another time than a file: the times of some file systems move in steps. */
export function awaitNewTime(path: string): void {
  const timeOf = (file: string) => statSync(file, { bigint: true }).ctimeNs;
  const before = timeOf(path);
  const probe = `${path}.probe`;
  do writeFileSync(probe, '');
  while (timeOf(probe) <= before);
  rmSync(probe);
}
