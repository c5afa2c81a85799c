// AVA: imported before its command line; takes the place of what its TAP reporter does with the
// states that AVA tells it.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const report = require('./report.cjs');
const at = createRequire(path.join(process.cwd(), 'package.json'));
const isMain = /[\\/]ava[\\/](?:entrypoints[\\/]cli\.mjs|cli\.js)$/.test(process.argv[1] || '');

if (process.env.TASKMILL_REPORT && isMain) {
  report.forget();
  const base = path.dirname(at.resolve('ava/package.json'));
  const loaded = await import(pathToFileURL(path.join(base, 'lib/reporters/tap.js')));
  const Reporter = loaded.default.default || loaded.default;
  const { startRun, endRun, consumeStateChange } = Reporter.prototype;
  let failed = 0;
  const begun = new Map();
  const where = evt => ({ file: report.file(evt.testFile), path: [evt.title] });
  Reporter.prototype.startRun = function (plan) {
    report.emit({ event: 'begin', runner: 'ava', version: '' });
    process.on('exit', code => report.emit({ event: 'exit', exit: code }));
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
      case 'declared-test':
        if (!evt.knownFailing) break;
        break;
      case 'selected-test':
        if (evt.skip || evt.todo) report.emit({ event: 'case', ...where(evt), outcome: evt.todo ? 'todo' : 'skip' });
        else {
          begun.set(evt.testFile + '\n' + evt.title, evt);
          report.emit({ event: 'start', ...where(evt), beside: true });
        }
        break;
      case 'test-passed':
        report.emit({ event: 'case', ...where(evt), outcome: evt.knownFailing ? 'xfail' : 'pass', seconds: report.seconds(evt.duration) });
        break;
      case 'test-failed':
        failed++;
        report.emit({ event: 'case', ...where(evt), outcome: 'fail', phase: 'call', seconds: report.seconds(evt.duration) });
        break;
      case 'hook-failed':
        failed++;
        hook(evt);
        break;
      case 'uncaught-exception':
      case 'unhandled-rejection':
        failed++;
        report.problem('unhandled', evt.err && (evt.err.originalError || evt.err), evt.testFile);
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
      case 'timeout':
        failed++;
        for (const [file, titles] of evt.pendingTests || []) {
          for (const t of titles) report.emit({ event: 'case', file: report.file(file), path: [t], outcome: 'timeout' });
        }
        break;
      case 'process-exit':
        failed++;
        report.problem('worker', { name: 'ExitError', message: 'process.exit() was called' }, evt.testFile);
        break;
    }
  };
  // "beforeEach hook for title", "before hook"
  const hook = evt => {
    const title = / hook for (.*)$/s.exec(evt.title);
    if (title) report.emit({ event: 'case', file: report.file(evt.testFile), path: [title[1]], outcome: 'error', phase: 'hook' });
    else report.emit({ event: 'suite', file: report.file(evt.testFile), path: [], outcome: 'error', left: true });
    report.problem('hook', evt.err, evt.testFile);
  };
}
