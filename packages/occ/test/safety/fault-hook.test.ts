import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HUNT, sample } from '../../../../test/setup/hunt.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

/** One line for each way to change a file; `folder` and `say` are there already. */
const WAYS = {
  writeFileSync: `fs.writeFileSync(folder + '/a', 'abcdef')`,
  writeSync: `const fd = fs.openSync(folder + '/a', 'w'); fs.writeSync(fd, 'abcdef'); fs.closeSync(fd)`,
  'write with a callback': `await new Promise((done, fail) => fs.open(folder + '/a', 'w', (_, fd) => fs.write(fd, Buffer.from('abcdef'), (error) => error ? fail(error) : done())))`,
  'writeFile of promises': `await promises.writeFile(folder + '/a', 'abcdef')`,
  'a handle': `const handle = await promises.open(folder + '/a', 'w'); await handle.write(Buffer.from('xabcdefx'), 1, 6); await handle.close()`,
  'appendFile of a handle': `const handle = await promises.open(folder + '/a', 'a'); await handle.appendFile('abcdef'); await handle.close()`,
};

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
});

function run(body: string, fault: object) {
  const script = join(folder, 'script.mjs');
  writeFileSync(
    script,
    `import * as fs from 'node:fs'; import * as promises from 'node:fs/promises'; const folder = ${JSON.stringify(folder)};
    try { ${body}; console.log('done') } catch (error) { console.log(error.code) }`,
  );
  const preload = join(import.meta.dirname, '..', 'setup', 'faults-preload.mjs');
  return spawnSync(process.execPath, ['--import', preload, script], {
    encoding: 'utf8',
    env: { FAULTS: JSON.stringify({ under: folder, ...fault }) },
  });
}

const content = (name = 'a') =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined;

describe.each(sample(Object.entries(WAYS), { gate: 2 }))('%s', HUNT, (_, body) => {
  const write = { at: 1, ops: ['write'] };
  test('without a fault', () => {
    expect(run(body, {}).stdout).toBe('done\n');
    expect(content()).toBe('abcdef');
  });
  test('killed before', () => {
    expect(run(body, { ...write, strike: 'kill-before' })).toMatchObject({ signal: 'SIGKILL', stdout: '' });
    expect(content() ?? '').toBe('');
  });
  test('killed half way', () => {
    expect(run(body, { ...write, strike: 'kill-half' })).toMatchObject({ signal: 'SIGKILL', stdout: '' });
    expect(content()).toBe('abc');
  });
  test('killed after', () => {
    expect(run(body, { ...write, strike: 'kill-after' })).toMatchObject({ signal: 'SIGKILL', stdout: '' });
    expect(content()).toBe('abcdef');
  });
  test('a full disk', () => {
    expect(run(body, { ...write, strike: 'ENOSPC' }).stdout).toBe('ENOSPC\n');
    expect(content()).toBe('abc');
  });
});

test('calls are counted in their order, each once, and only those asked for', () => {
  const body = `fs.writeFileSync(folder + '/a', 'x'); fs.appendFileSync(folder + '/a', 'y'); fs.readFileSync(folder + '/a');
    await promises.copyFile(folder + '/a', folder + '/b'); await promises.rename(folder + '/b', folder + '/c');
    fs.linkSync(folder + '/a', folder + '/d'); const handle = await promises.open(folder + '/a', 'r'); await handle.sync();
    await handle.close(); fs.unlinkSync(folder + '/d')`;
  const log = join(folder, 'log');
  expect(run(body, { log }).stdout).toBe('done\n');
  expect(JSON.parse(readFileSync(log, 'utf8'))).toEqual([
    `write ${folder}/a`,
    `write ${folder}/a`,
    `copyFile ${folder}/b`,
    `rename ${folder}/c`,
    `link ${folder}/d`,
    `fsync ${folder}/a`,
    `unlink ${folder}/d`,
  ]);
  run(body, { log, ops: ['rename', 'link'] });
  expect(JSON.parse(readFileSync(log, 'utf8'))).toEqual([`rename ${folder}/c`, `link ${folder}/d`]);
});

test('a disk that stays full fails from then on', () => {
  const body = `fs.writeFileSync(folder + '/a', 'x'); for (const name of ['b', 'c']) {
    try { fs.writeFileSync(folder + '/' + name, 'y') } catch (error) { console.log(name, error.code) } }`;
  expect(run(body, { at: 2, strike: 'ENOSPC', ops: ['write'], forGood: true }).stdout).toBe(
    'b ENOSPC\nc ENOSPC\ndone\n',
  );
});
