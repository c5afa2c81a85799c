// AVA: imported before its command line; takes the place of what its TAP reporter does with the
// states that AVA tells it.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const report = require('./report.cjs');
const base = globalThis[Symbol.for('taskmill.home')];

if (process.env.TASKMILL_REPORT && base) {
  report.forget();
  const loaded = await import(pathToFileURL(path.join(base, 'lib/reporters/tap.js')));
  const Reporter = loaded.default.default || loaded.default;
  const { startRun, endRun, consumeStateChange } = Reporter.prototype;
  let failed = 0;
  const files = new Set(); // that have declared tests
  const begun = new Map(); // tests without a result yet
  const key = evt => evt.testFile + '\n' + evt.title;
  const where = evt => ({ file: report.file(evt.testFile), path: [evt.title] });
  Reporter.prototype.startRun = function (plan) {
    report.emit({ event: 'begin', runner: 'ava', version: '' });
    return startRun.call(this, plan);
  };
  Reporter.prototype.endRun = function () {
    report.emit({ event: 'end', failed });
    return endRun.call(this);
  };
  Reporter.prototype.consumeStateChange = function (evt) {
    tell(evt);
    return consumeStateChange.call(this, evt);
  };
  const tell = evt => {
    switch (evt.type) {
      case 'selected-test':
        files.add(evt.testFile);
        if (evt.skip || evt.todo) report.emit({ event: 'case', ...where(evt), outcome: evt.todo ? 'todo' : 'skip' });
        else {
          begun.set(key(evt), evt);
          report.emit({ event: 'start', ...where(evt), beside: true });
        }
        break;
      case 'test-passed':
        begun.delete(key(evt));
        report.emit({ event: 'case', ...where(evt), outcome: evt.knownFailing ? 'xfail' : 'pass', seconds: report.seconds(evt.duration) });
        break;
      case 'test-failed':
        begun.delete(key(evt));
        failed++;
        report.emit({ event: 'case', ...where(evt), outcome: /^Test timeout exceeded/.test(text(evt.err)) ? 'timeout' : 'fail', phase: 'call', seconds: report.seconds(evt.duration) });
        break;
      case 'hook-failed':
        failed++;
        hook(evt);
        break;
      case 'uncaught-exception':
      case 'unhandled-rejection':
        failed++;
        report.problem(files.has(evt.testFile) ? 'unhandled' : 'load', evt.err && (evt.err.originalError || evt.err), evt.testFile);
        break;
      case 'internal-error':
        failed++;
        report.problem('internal', evt.err, evt.testFile);
        break;
      case 'worker-failed':
        failed++;
        report.problem('worker', { name: 'WorkerError', message: evt.signal ? `ended by ${evt.signal}` : `ended with ${evt.nonZeroExitCode ?? 'an error'}` }, evt.testFile);
        break;
      case 'missing-ava-import':
      case 'worker-parse-error':
        failed++;
        report.problem('load', { message: evt.type }, evt.testFile);
        break;
      case 'timeout': {
        failed++;
        const pending = [...(evt.pendingTests || [])].flatMap(([file, titles]) => [...titles].map(title => ({ testFile: file, title })));
        for (const t of pending) report.emit({ event: 'case', ...where(t), outcome: 'timeout' });
        if (!pending.length) report.problem('worker', { name: 'TimeoutError', message: 'no test ended in time' });
        break;
      }
      case 'process-exit':
        failed++;
        report.problem('worker', { name: 'ExitError', message: 'process.exit() was called' }, evt.testFile);
        break;
    }
  };
  const text = err => String((err && (err.message || (err.originalError && err.originalError.message) || (err.formattedDetails && JSON.stringify(err.formattedDetails)))) || '');
  // "beforeEach hook for title", "before hook"
  const hook = evt => {
    const title = / hook for (.*)$/s.exec(evt.title);
    if (title) {
      const of = { testFile: evt.testFile, title: title[1] };
      begun.delete(key(of));
      report.emit({ event: 'case', ...where(of), outcome: 'error', phase: 'hook' });
    } else {
      for (const left of begun.values()) if (left.testFile === evt.testFile) report.emit({ event: 'case', ...where(left), outcome: 'error', phase: 'setup' });
      report.emit({ event: 'suite', file: report.file(evt.testFile), path: [], outcome: 'error' });
    }
    report.problem('hook', evt.err && (evt.err.originalError || evt.err), evt.testFile);
  };
}
