import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const FILE = join(import.meta.dirname, '../../src/config/machine-zone.ts');

it.each([
  undefined,
  '',
  'UTC',
  'Etc/UTC',
  'Europe/Berlin',
  ':Asia/Tokyo',
  'America/Argentina/Salta',
  'Mars/Olympus',
  'EST5EDT',
  '../x',
])('is the zone in which Date counts, with TZ=%s', (TZ) => {
  const script = `import { findMachineZone } from ${JSON.stringify(FILE)};
      const at = Date.UTC(2026, 6, 1, 12);
      const format = new Intl.DateTimeFormat('en-GB', { timeZone: findMachineZone(), hour: '2-digit', minute: '2-digit' });
      console.log(JSON.stringify([format.format(at), new Date(at).toTimeString().slice(0, 5)]));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { PATH: process.env.PATH, ...(TZ !== undefined && { TZ }) },
    encoding: 'utf8',
  });
  const [named, local] = JSON.parse(printed);
  expect(named).toBe(local);
});
