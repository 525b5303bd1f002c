import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { removeFormer } from '../packages/sessions/build/remove-former.ts';

test('a build leaves nothing in dist of sources that are gone, and all else as it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'openbot-build-'));
  const write = (path: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '');
  };
  const made = (path: string) => ['.js', '.js.map', '.d.ts', '.d.ts.map'].map((end) => `dist/${path}${end}`);
  const kept = [...made('index'), ...made('room/kept'), 'dist/bin/command.js', 'dist/.tsbuildinfo'];
  const former = [...made('gone'), ...made('room/gone'), ...made('former/room/file'), 'dist/room/kept.cjs'];
  try {
    for (const path of ['src/index.ts', 'src/room/kept.ts', ...kept, ...former]) write(path);
    removeFormer(folder);
    expect(kept.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
    expect([...former, 'dist/former'].filter((path) => existsSync(join(folder, path)))).toEqual([]);
    rmSync(join(folder, 'dist'), { recursive: true });
    removeFormer(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
