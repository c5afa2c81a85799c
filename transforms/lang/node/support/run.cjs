'use strict';
// Starts the program of a package that the tree's folder resolves: run.cjs mocha ARGUMENT…
const path = require('node:path');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const { pathToFileURL } = require('node:url');

const name = process.argv[2];
const here = path.join(process.cwd(), 'package.json');

// find looks for a package's folder as node does, past what its exports hide.
function find(pkg, from) {
  for (let dir = from; ; dir = path.dirname(dir)) {
    const at = path.join(dir, 'node_modules', pkg);
    if (fs.existsSync(path.join(at, 'package.json'))) return fs.realpathSync(at);
    if (dir === path.dirname(dir)) return undefined;
  }
}

const home = find(name, process.cwd()) || (name === 'jest' && find('jest-cli', process.cwd()));
if (!home) {
  process.stderr.write(`${name} is not installed\n`);
  process.exit(1);
}
const { bin, version } = JSON.parse(fs.readFileSync(path.join(home, 'package.json'), 'utf8'));
const program = path.join(home, typeof bin === 'string' ? bin : bin[name]);
process.argv.splice(1, 2, program);

// Flags that an older version does not know and stops at.
const since = { jest: { '--randomize': [29, 5], '--seed': [29, 5] }, vitest: { '--includeTaskLocation': [1, 4] } };
const [major, minor] = String(version).split('.').map(Number);
process.argv = process.argv.filter(a => {
  const from = (since[name] || {})[a.split('=')[0]];
  return !from || major > from[0] || (major === from[0] && minor >= from[1]);
});
globalThis[Symbol.for('taskmill.home')] = home;

(async () => {
  if (name === 'mocha') {
    process.env.TASKMILL_NODE_OPTIONS = process.env.NODE_OPTIONS || '';
    // Mocha starts itself again where its configuration has flags of node.
    process.env.NODE_OPTIONS = `${process.env.TASKMILL_NODE_OPTIONS} --require ${JSON.stringify(path.join(__dirname, 'mocha.cjs'))}`.trim();
    require('./mocha.cjs');
  }
  if (name === 'ava') await import(pathToFileURL(path.join(__dirname, 'ava.mjs')));
  if (/\.mjs$/.test(program)) await import(pathToFileURL(program));
  else createRequire(here)(program);
})().catch(error => {
  console.error(error);
  process.exit(1);
});
