#!/usr/bin/env node
// Plain syntax and no imports of its own, so that an old Node gets as far as saying that it is old.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  fail(`occ needs Node 22.19 or newer; this is Node ${process.versions.node} (${process.execPath})`);
} else {
  import('../dist/bin/occ.js').then((bundle) => bundle.start(), explainMissingBundle);
}

function explainMissingBundle(error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  fail("occ is not built here; run 'npm run build' first");
}

function fail(sentence) {
  process.stderr.write(`Error: ${sentence}\n`);
  process.exitCode = 1;
}
