'use strict';
// Writes the report: one JSON object a line, each with one synchronous append, so that what was
// told before a process dies is there, whichever process told it.
const fs = require('node:fs');
const path = require('node:path');

const state = globalThis[Symbol.for('taskmill.report')] ??= { name: process.env.TASKMILL_REPORT, root: process.env.TASKMILL_TESTBED };
const { appendFileSync, realpathSync } = fs; // a test may replace those of the module
const { stringify } = JSON;

function real(p) {
  try {
    return realpathSync(p);
  } catch {
    return p;
  }
}

const root = state.root && real(state.root);

exports.emit = function (event) {
  if (state.name) appendFileSync(state.name, stringify(event) + '\n');
};

// forget keeps the report's place from the processes that tests start.
exports.forget = function () {
  delete process.env.TASKMILL_REPORT;
};

// file is a path as ids have it: relative to the tree.
exports.file = function (name) {
  if (!name) return '';
  name = String(name);
  if (name.startsWith('file:')) name = require('node:url').fileURLToPath(name);
  const full = real(path.resolve(name));
  if (!root) return full;
  return path.relative(root, full).split(path.sep).join('/');
};

// clean shortens a message to one line without the tree's place.
function clean(text) {
  text = String(text).replace(/\u001b\[[0-9;]*m/g, '');
  for (const r of [root, state.root]) if (r) text = text.split(r + '/').join('');
  const line = text.split('\n').map(s => s.trim()).find(s => s) || '';
  return line.slice(0, 500);
}

// problem tells an error that belongs to no case.
exports.problem = function (stage, error, name) {
  const e = error && typeof error === 'object' ? error : { message: String(error) };
  const message = clean(e.message ?? e.stack ?? e);
  const event = { event: 'problem', stage, type: String(e.name || e.type || 'Error').slice(0, 100), message };
  if (name) event.file = exports.file(name);
  // The innermost place that lies in the tree and is not a dependency's.
  for (const m of String(e.stack || '').matchAll(/(?:\(|at |^|\s)((?:file:\/\/)?\/[^\s():]+):(\d+)(?::\d+)?/gm)) {
    const at = exports.file(m[1]);
    if (at.startsWith('..') || at.startsWith('/') || /(?:^|\/)node_modules\//.test(at)) continue;
    [event.path, event.line] = [at, Number(m[2])];
    break;
  }
  const full = String(e.message || '');
  const names = [];
  for (const [re, group] of [
    [/does not provide an export named '([^']+)'/, 1],
    [/does not provide an export named "([^"]+)"/, 1],
    [/^(?:ReferenceError: )?([\w$]+) is not defined/, 1],
    [/(?:^|[\s.(])([\w$]+) is not a (?:function|constructor)/, 1],
    [/No matching export in .* for import "([^"]+)"/, 1],
    [/reading '([^']+)'/, 1],
  ]) {
    const m = re.exec(full);
    if (m) names.push(m[group]);
  }
  const missing = /Cannot find (?:module|package) '([^']+)'/.exec(full) || /Failed to (?:resolve import|load url) "?([^\s"]+)"?/.exec(full);
  if (missing) names.push(path.basename(missing[1]).replace(/\.[cm]?[jt]sx?$/, ''));
  if (names.length) event.names = names;
  exports.emit(event);
};

exports.seconds = function (ms) {
  return typeof ms === 'number' && ms >= 0 && ms < 1e12 ? ms / 1000 : 0;
};

// selection reads what of the tests was asked for: a function of a case's titles.
exports.selection = function () {
  const text = process.env.TASKMILL_SELECT;
  delete process.env.TASKMILL_SELECT;
  if (!text) return undefined;
  const { only, skip } = JSON.parse(text);
  const chosen = only && new RegExp(only);
  const left = skip && new RegExp(skip);
  return titles => {
    const whole = titles.join(' > ');
    if (left && left.test(whole)) return false;
    return !chosen || titles.some((_, i) => chosen.test(titles.slice(0, i + 1).join(' > ')));
  };
};
