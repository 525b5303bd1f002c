import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeMcpHome } from './mcp-home.ts';

const INDEX = join(import.meta.dirname, '../../src/index.ts');
const ATTACH_TOOLS = join(import.meta.dirname, '../../src/mcp-server/attach-tools.ts');

function evaluate(script: string): string {
  const args = ['--conditions=openbot-source', '--input-type=module', '--eval', script];
  return execFileSync(process.execPath, args, { encoding: 'utf8', input: '' }).trim();
}

test('the SDK is loaded when something is served, not before', () => {
  const { options } = makeMcpHome();
  const printed = evaluate(`
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    // The widths of terminal columns are the only foreign code that every command loads.
    const widths = /node_modules\\/(string-width|strip-ansi|ansi-regex|get-east-asian-width|emoji-regex)\\//;
    const count = () => loaded.filter((url) => /node_modules/.test(url) && !widths.test(url)).length;
    const { serveMcp } = await import(${JSON.stringify(INDEX)});
    const before = count();
    await (await serveMcp(${JSON.stringify(options)})).closed;
    console.log(before, count() > 0);`);
  expect(printed).toBe('0 true');
});

test('without the SDK the error says what to install, and runs have no tools', () => {
  const { options } = makeMcpHome();
  const printed = evaluate(`
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(specifier, context, next) {
      if (!specifier.startsWith('@modelcontextprotocol/')) return next(specifier, context);
      throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    } });
    const { serveMcp } = await import(${JSON.stringify(INDEX)});
    const { attachTools } = await import(${JSON.stringify(ATTACH_TOOLS)});
    const options = ${JSON.stringify(options)};
    await serveMcp(options).catch(({ code, hint }) => console.log(code, hint));
    const { servers } = await attachTools({ ...options, onError: ({ code }) => console.log(code) });
    console.log(Object.keys(servers).length);`);
  expect(printed).toBe('SDK_NOT_INSTALLED npm install @modelcontextprotocol/sdk\nSDK_NOT_INSTALLED\n0');
});
