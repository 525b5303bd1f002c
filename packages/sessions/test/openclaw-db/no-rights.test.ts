import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { copyFixture, describeFolder } from './folder-state.ts';

const child = fileURLToPath(new URL('./children/read-as-nobody.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;
const who = isRoot ? { uid: 65_534, gid: 65_534 } : {};
const runChild = (path: string) => {
  const { stdout, stderr } = spawnSync(process.execPath, [child, path], { ...who, encoding: 'utf8' });
  return stdout || stderr;
};
const isUnreachable =
  isRoot &&
  spawnSync(process.execPath, ['-e', `fs.readFileSync(${JSON.stringify(child)})`], who).status !== 0;

/** Runs the child while the copy may be read but not written to. Gives what it printed, and whether nothing changed. */
function runReadOnly({ path, folder, agentFolder }: ReturnType<typeof copyFixture>) {
  chmodSync(agentFolder, 0o755);
  chmodSync(path, 0o444);
  chmodSync(folder, 0o555);
  try {
    const before = describeFolder(folder);
    const printed = runChild(path);
    expect(describeFolder(folder)).toEqual(before);
    return printed;
  } finally {
    chmodSync(folder, 0o700);
  }
}

// Without rights nothing can be shown here as root if the sources are out of reach for anybody else.
test.skipIf(isUnreachable)('in a folder that we may only read, reading works and leaves nothing', () => {
  expect(runReadOnly(copyFixture())).toBe('fine DATABASE_WRITE_FAILED\n');
});

test.skipIf(isUnreachable)('with a `-wal` that has no index there too', () => {
  const copy = copyFixture();
  const { path, folder } = copy;
  const writer = new DatabaseSync(path);
  writer.exec("UPDATE session_nodes SET label = 'y'");
  for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${path}${suffix}.kept`);
  writer.close();
  for (const suffix of ['', '-wal']) {
    copyFileSync(`${path}${suffix}.kept`, `${path}${suffix}`);
    rmSync(`${path}${suffix}.kept`);
  }
  chmodSync(`${path}-wal`, 0o444);
  expect(readdirSync(folder)).toEqual(['openclaw-agent.sqlite', 'openclaw-agent.sqlite-wal']);
  expect(runReadOnly(copy)).toMatch(/^fine DATABASE_/);
});

test.skipIf(isUnreachable)('a file that we may not read', () => {
  const { path, folder, agentFolder } = copyFixture();
  chmodSync(agentFolder, 0o755);
  chmodSync(folder, 0o755);
  chmodSync(path, isRoot ? 0o600 : 0o000);
  expect(runChild(path)).toBe('DATABASE_UNREADABLE DATABASE_UNREADABLE\n');
});
