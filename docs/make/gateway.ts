/** Makes the table of methods in docs/gateway.md. `npm run docs` writes it; a test holds that it is up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_METHODS } from '../../packages/openbot/src/gateway-methods/all.ts';

const PAGE = join(import.meta.dirname, '..', 'gateway.md');
const TABLE = /(<!-- methods -->\n)[\s\S]*?(<!-- end of methods -->)/;

/** The page with the methods as they are declared. */
export function makeGatewayPage(page = readFileSync(PAGE, 'utf8')): string {
  const rows = ALL_METHODS.map(({ name, scope, params }) => {
    const names = Object.entries(params).map(([param, { optional }]) => `\`${param}${optional ? '?' : ''}\``);
    return `| \`${name}\` | ${scope.replace('operator.', '')} | ${names.join(', ')} |`;
  });
  const table = ['| method | scope | params |', '| --- | --- | --- |', ...rows].join('\n');
  return page.replace(TABLE, (_, begins: string, ends: string) => `${begins}${table}\n${ends}`);
}

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, makeGatewayPage());
