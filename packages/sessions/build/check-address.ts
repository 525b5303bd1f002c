/** Run before a package is published: the repository has no public address yet, and a placeholder must not get out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const path = join(process.cwd(), 'package.json');
const { repository } = JSON.parse(readFileSync(path, 'utf8')) as { repository: { url: string } };
if (new URL(repository.url).hostname.endsWith('.example')) {
  console.error(`${path}: repository.url is a placeholder; write the public address of the repository there`);
  process.exitCode = 1;
}
