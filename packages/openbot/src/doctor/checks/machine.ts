import { loadSqlite } from '@openbot/sessions/disk';
import { freeBytesOf, LEAST_FREE, MEGABYTE } from '../../state-report/disk-room.ts';
import type { Check } from '../contract.ts';

const LEAST_NODE = [22, 19] as const;
/** Below it, a person should make room. */
const GOOD_FREE = 500 * MEGABYTE;

export const node: Check = {
  name: 'node',
  about: 'Node and its SQLite',
  isQuick: true,
  look() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const [leastMajor, leastMinor] = LEAST_NODE;
    if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
      return [
        {
          severity: 'problem',
          what: `Node ${process.versions.node} is too old`,
          remedy: 'Install 22.19 or newer',
        },
      ];
    }
    try {
      loadSqlite();
      return [];
    } catch (error) {
      return [{ severity: 'problem', what: `This Node has no SQLite: ${(error as Error).message}` }];
    }
  },
};

export const diskSpace: Check = {
  name: 'disk-space',
  about: 'Room on the disk of the state folder',
  isQuick: true,
  look({ stateDir }) {
    const free = freeBytesOf(stateDir);
    if (free >= GOOD_FREE) return [];
    const what = `Only ${Math.floor(free / MEGABYTE)} MB are free on the disk of ${stateDir}`;
    return [{ severity: free < LEAST_FREE ? 'problem' : 'warning', what, remedy: 'Make room' }];
  },
};
