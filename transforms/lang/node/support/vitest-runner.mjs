// Vitest: what a worker tells itself, before and after each test, since its death keeps the rest
// from the reporter. Laid where `vitest` is found by its name.
import { createRequire } from 'node:module';
import { VitestTestRunner } from 'vitest/runners';

const report = createRequire(import.meta.url)('./report.cjs');
report.forget();

function where(task) {
  const path = [task.name];
  for (let s = task.suite; s && s !== task.file && !s.filepath; s = s.suite) if (s.name !== '' || s.suite) path.unshift(s.name);
  return { path, file: report.file(task.file && task.file.filepath) };
}

export default class extends VitestTestRunner {
  onBeforeTryTask(test, ...rest) {
    report.emit({ event: 'start', ...where(test) });
    return super.onBeforeTryTask?.(test, ...rest);
  }

  async onAfterRunTask(test, ...rest) {
    await super.onAfterRunTask?.(test, ...rest);
    if (test.type === 'suite') return;
    const state = test.result && test.result.state;
    if (state === 'pass' || state === 'fail')
      report.emit({ event: 'case', early: true, ...where(test), outcome: state === 'fail' ? 'fail' : test.fails ? 'xfail' : 'pass', seconds: report.seconds(test.result.duration) });
  }
}
