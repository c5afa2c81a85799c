// Vitest: a reporter, of version 0.34 and newer.
import { createRequire } from 'node:module';
const report = createRequire(import.meta.url)('./report.cjs');

export default class {
  onInit(ctx) {
    this.ctx = ctx;
    this.only = Boolean(ctx.config.testNamePattern);
    this.told = false;
    report.emit({ event: 'begin', runner: 'vitest', version: String(ctx.version || '') });
    process.on('exit', code => report.emit({ event: 'exit', exit: code }));
  }

  // Marks while the tests run: what they say may come late, and is not the last word.
  onTaskUpdate(packs) {
    for (const [id, result] of packs || []) {
      const task = this.ctx.state && this.ctx.state.idMap && this.ctx.state.idMap.get(id);
      if (!task || task.type === 'suite' || !result) continue;
      if (result.state === 'run') report.emit({ event: 'start', ...where(task) });
      else if (result.state) this.tell(task, true, result);
    }
  }

  onTestRunEnd(modules, errors) {
    this.end(modules.map(m => m.task), errors);
  }

  onFinished(files, errors) {
    this.end(files || [], errors || []);
  }

  end(files, errors) {
    if (this.told) return;
    this.told = true;
    let failed = 0;
    for (const file of files) {
      report.emit({ event: 'file', file: report.file(file.filepath) });
      failed += this.walk(file, file, []);
    }
    for (const e of errors || []) {
      failed++;
      report.problem('unhandled', e, e && e.VITEST_TEST_PATH);
    }
    report.emit({ event: 'end', failed });
  }

  walk(file, suite, path) {
    let failed = 0;
    for (const task of suite.tasks || []) {
      if (task.type === 'suite') failed += this.walk(file, task, [...path, task.name]);
      else failed += this.tell(task, false, task.result);
    }
    const result = suite.result || {};
    if (result.state === 'fail' && result.errors && result.errors.length) {
      failed++;
      if (suite === file && !count(file)) report.problem('load', result.errors[0], file.filepath);
      else {
        report.problem('hook', result.errors[0], file.filepath);
        report.emit({ event: 'suite', file: report.file(file.filepath), path, outcome: 'error' });
      }
    }
    return failed;
  }

  tell(task, early, result) {
    result = result || {};
    let outcome = 'notrun';
    let phase;
    if (task.mode === 'todo') outcome = 'todo';
    else if (task.mode === 'skip' || result.state === 'skip') outcome = this.only ? 'unselected' : 'skip';
    else if (result.state === 'pass') outcome = task.fails ? 'xfail' : 'pass';
    else if (result.state === 'fail') {
      outcome = 'fail';
      phase = 'call';
      const message = String((result.errors && result.errors[0] && result.errors[0].message) || '');
      if (/^Test timed out in \d+ms/.test(message)) outcome = 'timeout';
      else if (/^Hook timed out in \d+ms/.test(message)) [outcome, phase] = ['error', 'hook'];
    }
    if (early && outcome === 'unselected') return 0;
    report.emit({ event: 'case', early: early || undefined, ...where(task), outcome, phase, seconds: report.seconds(result.duration) });
    return outcome === 'fail' || outcome === 'timeout' || outcome === 'error' ? 1 : 0;
  }
}

function where(task) {
  const path = [task.name];
  for (let s = task.suite; s && s.name !== undefined && s !== task.file && !s.filepath; s = s.suite) {
    if (s.name !== '' || s.suite) path.unshift(s.name);
  }
  return { path, file: report.file(task.file && task.file.filepath) };
}

function count(suite) {
  let n = 0;
  for (const t of suite.tasks || []) n += t.type === 'suite' ? count(t) : 1;
  return n;
}
