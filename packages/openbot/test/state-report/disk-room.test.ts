import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskSpace } from '../../src/doctor/checks/machine.ts';
import { freeBytesOf, LEAST_FREE } from '../../src/state-report/disk-room.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

test('the room of a folder that does not exist yet is that of the one above it', () => {
  const free = freeBytesOf(join(makeTempFolder(), 'state', 'later'));
  expect(free).toBeGreaterThan(0);
  expect(free).toBeLessThan(Number.POSITIVE_INFINITY);
});

// As a FUSE program without statfs: all figures are 0.
test.skipIf(!existsSync('/proc/self'))('a file system that does not tell its size is not full', async () => {
  expect(freeBytesOf('/proc/self')).toBeGreaterThan(LEAST_FREE);
  expect(await diskSpace.look({ stateDir: '/proc/self' } as Parameters<typeof diskSpace.look>[0])).toEqual(
    [],
  );
});
