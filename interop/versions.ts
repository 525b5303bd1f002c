/**
 * `npm run versions`: each library and program of others, the versions that were tested, the newest one in the registry,
 * and the ranges that exclude it. Ends with 0, with 1 where a range excludes the newest version, with 2 where the registry
 * cannot be asked. `--json` prints the same as JSON.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { askNewest } from './ask-registry.ts';
import { type Compared, compare, describeTested, listVersions } from './list-versions.ts';

const { values: flags } = parseArgs({ options: { json: { type: 'boolean' } } });
const listed = listVersions(resolve(import.meta.dirname, '..'));
try {
  const newest = await askNewest(listed.map(({ name }) => name));
  const compared = listed.map((one) => compare(one, newest.get(one.name)));
  console.log(flags.json ? JSON.stringify({ versions: compared }, null, 2) : layOut(compared));
  process.exitCode = compared.some(({ excludedBy }) => excludedBy.length > 0) ? 1 : 0;
} catch (error) {
  console.error((error as Error).message);
  console.error(
    '  Is this machine offline? npm asks the registry of its configuration: npm config get registry',
  );
  process.exitCode = 2;
}

function layOut(compared: readonly Compared[]): string {
  const rows = compared.map((one) => {
    const { name, kind, newest = '–', isTested, excludedBy } = one;
    const ranges = excludedBy.map(({ of, range }) => `${of}: ${range}`).join('; ');
    const note = ranges !== '' ? `excluded by ${ranges}` : isTested || newest === '–' ? '' : 'not tested';
    return [name, kind, describeTested(one), newest, note];
  });
  const table = [['NAME', 'KIND', 'TESTED', 'NEWEST', 'NOTE'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
