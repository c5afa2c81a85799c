'use strict';
// node:test: required before the test file, to mark what runs, and taken as its reporter.
const report = require('./report.cjs');
const path = require('node:path');
const test = require('node:test');
const later = setImmediate; // before a test mocks the timers

const known = new Set((process.env.TASKMILL_UNITS || '').split('\n').filter(Boolean));
const unit = [...known][0] || '';
const planted = new Map(); // titles of other files' cases, where a place in the source misleads
let started = false;
if (process.env.TASKMILL_REPORT) {
  report.forget();
  delete process.env.TASKMILL_UNITS;
  const chosen = report.selection();
  if (chosen) require('./select.cjs').narrow(chosen, planted, [...known].slice(1));
  report.emit({ event: 'begin', runner: 'node', version: process.version });
  process.on('uncaughtExceptionMonitor', error => report.problem(started ? 'unhandled' : 'load', error, started ? undefined : path.join(process.env.TASKMILL_TESTBED || '', unit)));
  // Results are told in turns of the loop: a test that then ends the process takes none along.
  test.beforeEach(async t => {
    await new Promise(resolve => later(resolve));
    started = true;
    const titles = ancestors(t);
    report.emit({ event: 'start', path: titles, file: fileOf({ file: t.filePath, name: titles[0] }) });
  });
}

function ancestors(t) {
  const full = t.fullName;
  return full === undefined || full === t.name ? [t.name] : full.split(' > ');
}

function fileOf(data) {
  const name = planted.get(data.name) || report.file(data.file);
  return known.has(name) ? name : unit;
}

const title = name => (name === '<anonymous>' ? '' : name);

function outcome(type, data) {
  const error = data.details && data.details.error;
  if (data.skip !== undefined) return { outcome: data.skip === 'test name does not match pattern' ? 'unselected' : 'skip' };
  if (data.todo !== undefined) return { outcome: 'todo' };
  if (data.expectFailure !== undefined) return { outcome: type === 'test:pass' ? 'xfail' : 'fail' };
  if (type === 'test:pass') return { outcome: 'pass' };
  switch (error && error.failureType) {
    case 'testTimeoutFailure': return { outcome: 'timeout' };
    case 'hookFailed': return { outcome: 'error', phase: 'hook' };
    case 'cancelledByParent': return { outcome: 'error', phase: 'setup' };
    default: return { outcome: 'fail', phase: 'call' };
  }
}

module.exports = async function* (source) {
  const names = [];
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      names.length = data.nesting;
      names[data.nesting] = title(data.name);
      continue;
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    started = true;
    const path = [...names.slice(0, data.nesting), title(data.name)];
    const details = data.details || {};
    if (details.type === 'suite') {
      const kind = details.error && details.error.failureType;
      if (type === 'test:fail' && data.todo === undefined && kind !== 'subtestsFailed')
        report.emit({ event: 'suite', path, file: fileOf(data), outcome: 'error' });
      continue;
    }
    report.emit({ event: 'case', path, file: fileOf(data), seconds: report.seconds(details.duration_ms), ...outcome(type, data) });
  }
  report.emit({ event: 'end' });
};
