// Vitest: a reporter, of version 0.34 and newer.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
const report = createRequire(import.meta.url)('./report.cjs');

export default class {
  onInit(ctx) {
    this.ctx = ctx;
    this.only = Boolean(ctx.config.testNamePattern);
    this.told = false;
    report.emit({ event: 'begin', runner: 'vitest', version: String(ctx.version || '') });
    this.mark();
  }

  onPathsCollected() {
    this.mark();
  }

  onTestRunStart() {
    this.mark();
  }

  // mark makes workers tell what they run themselves, where a project has no runner of its own.
  mark() {
    const runner = fileURLToPath(new URL('./vitest-runner.mjs', import.meta.url));
    if (!existsSync(fileURLToPath(new URL('./node_modules/vitest', import.meta.url)))) return;
    for (const p of this.ctx.projects || [this.ctx]) {
      try {
        if (p.config && !p.config.runner && !(p.config.browser && p.config.browser.enabled)) p.config.runner = runner;
        this.marked = this.marked || p.config.runner === runner;
      } catch {
        // a version whose configuration is fixed by now
      }
    }
  }

  // Marks while the tests run: what they say may come late, and is not the last word.
  onTaskUpdate(packs) {
    if (this.marked) return;
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
    let died = false;
    for (const file of files) {
      if (open(file)) {
        died = true; // what its worker told itself is all there is
        continue;
      }
      report.emit({ event: 'file', file: report.file(file.filepath) });
      failed += this.walk(file, file, [], false);
    }
    for (const e of errors || []) {
      failed++;
      report.problem('unhandled', e, e && e.VITEST_TEST_PATH);
    }
    report.emit({ event: died ? 'died' : 'end', failed });
  }

  walk(file, suite, path, broken) {
    let failed = 0;
    const result = suite.result || {};
    broken = broken || result.state === 'fail' && Boolean(result.errors && result.errors.length);
    for (const task of suite.tasks || []) {
      if (task.type === 'suite') failed += this.walk(file, task, [...path, task.name], broken);
      else failed += this.tell(task, false, task.result, broken);
    }
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

  tell(task, early, result, broken) {
    result = result || {};
    let outcome = 'notrun';
    let phase;
    if (task.mode === 'todo') outcome = 'todo';
    else if (broken && result.state === 'skip' && !this.only) [outcome, phase] = ['error', 'setup']; // a hook before it failed
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

// open reports whether a test of a suite has come to no end.
function open(suite) {
  return (suite.tasks || []).some(t => {
    if (t.type === 'suite') return open(t);
    const state = t.result && t.result.state;
    return t.mode !== 'skip' && t.mode !== 'todo' && (!state || state === 'run' || state === 'queued');
  });
}
