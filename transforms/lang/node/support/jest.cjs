'use strict';
// Jest: a reporter. Tests run in band, so that it hears of each before the next begins.
const report = require('./report.cjs');

const outcomes = { passed: 'pass', failed: 'fail', pending: 'skip', skipped: 'skip', disabled: 'skip', todo: 'todo' };

module.exports = class {
  constructor(config) {
    this.root = config && config.rootDir;
    report.forget();
    this.cases = 0;
    this.only = Boolean(config && config.testNamePattern);
    report.emit({ event: 'begin', runner: 'jest', version: '' });
  }

  onTestCaseStart(test, info) {
    report.emit({ event: 'start', file: report.file(test.path), path: [...(info.ancestorTitles || []), info.title] });
  }

  onTestCaseResult(test, result) {
    this.tell(test.path, result, true);
  }

  onTestResult(test, result) {
    const file = report.file(test.path);
    report.emit({ event: 'file', file }); // what follows is whole and in order
    for (const r of result.testResults || []) this.tell(test.path, r, false);
    if (result.testExecError && (result.testResults || []).length) report.emit({ event: 'suite', file, path: [], outcome: 'error' });
    if (result.testExecError) report.problem((result.testResults || []).length ? 'hook' : 'load', fault(result.testExecError), test.path);
    else if (result.failureMessage && !(result.testResults || []).length) report.problem('load', { message: result.failureMessage }, test.path);
  }

  tell(path, r, early) {
    let outcome = outcomes[r.status] || 'fail';
    let phase;
    const messages = (r.failureMessages || []).join('\n');
    if (outcome === 'fail') {
      phase = 'call';
      if (/^(?:Error: )?thrown: "Exceeded timeout of \d+/m.test(messages) || /Exceeded timeout of [\d,]+ ?ms for a test/.test(messages)) outcome = 'timeout';
      if (r.invocations === 0 || /ms for a hook\b/.test(messages)) [outcome, phase] = ['error', 'setup']; // a hook before it failed
    }
    // What -t leaves out is told like a skipped test.
    if (outcome === 'skip' && this.only) outcome = 'unselected';
    report.emit({
      event: 'case', early: early || undefined, file: report.file(path), path: [...(r.ancestorTitles || []), r.title],
      outcome, phase, seconds: report.seconds(r.duration),
      line: (r.location && r.location.line) || undefined, column: (r.location && r.location.column) || undefined,
    });
  }

  onRunComplete(_, results) {
    if (results.runExecError) report.problem('internal', fault(results.runExecError));
    report.emit({ event: 'end', failed: results.numFailedTests + results.numRuntimeErrorTestSuites });
  }
};

function fault(e) {
  return { name: e.name || e.type || 'Error', message: e.message || e.stack || String(e), stack: e.stack };
}
