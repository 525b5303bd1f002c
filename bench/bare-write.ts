/** What a careful program must do to replace a file: the peer of our own writes. */
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

export async function writeAtomic(path: string, bytes: Buffer): Promise<void> {
  const handle = await open(`${path}.tmp`, 'w', 0o600);
  await handle.writeFile(bytes);
  await handle.sync();
  await handle.close();
  await rename(`${path}.tmp`, path);
  const parent = await open(dirname(path));
  await parent.sync();
  await parent.close();
}
