#!/usr/bin/env node
// Plain syntax and no imports of its own, so that an old Node gets as far as saying that it is old.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  fail(
    'NODE_TOO_OLD',
    `openbot needs Node 22.19 or newer; this is Node ${process.versions.node} (${process.execPath})`,
    'Install a newer one: https://nodejs.org',
  );
} else {
  import('../dist/bin/openbot.js').then((bundle) => bundle.start(), explainMissingBundle);
}

function explainMissingBundle(error) {
  // Another file that is missing is a fault, and says which.
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !/dist\/bin\/openbot\.js$/.test(error.url)) throw error;
  fail('NOT_BUILT', 'openbot is not built here', "Run 'npm run build' first");
}

function fail(code, message, hint) {
  const isJson = process.argv.slice(2).indexOf('--json') >= 0;
  process.stderr.write(
    isJson
      ? `${JSON.stringify({ success: false, error: { code, message, hint } })}\n`
      : `Error: ${message}\n  ${hint}\n`,
  );
  process.exitCode = 1;
}
