'use strict';
// Mocha: required through NODE_OPTIONS, to run the asked files and no others whatever the
// configuration lists, and taken as its reporter.
const path = require('node:path');
const fs = require('node:fs');
const report = require('./report.cjs');

const units = (process.env.TASKMILL_UNITS || '').split('\n').filter(Boolean);

// narrow makes mocha collect the asked files only, and tells those that cannot be loaded: its
// reporters hear of neither.
function narrow() {
  let home;
  for (let dir = process.cwd(); ; dir = path.dirname(dir)) {
    home = path.join(dir, 'node_modules/mocha');
    if (fs.existsSync(home)) break;
    if (dir === path.dirname(dir)) return;
  }
  home = fs.realpathSync(home);
  const spec = units.map(u => path.resolve(process.env.TASKMILL_TESTBED || '.', u));
  try {
    const name = path.join(home, 'lib/cli/collect-files.js');
    const collect = require(name);
    require.cache[name].exports = Object.assign(options => collect({ ...options, spec, ignore: [] }), collect);
    const loader = require(path.join(home, 'lib/nodejs/esm-utils.js'));
    const load = loader.requireOrImport;
    loader.requireOrImport = async (file, ...rest) => {
      try {
        return await load(file, ...rest);
      } catch (error) {
        report.problem('load', error, spec.includes(path.resolve(file)) ? file : undefined);
        throw error;
      }
    };
  } catch (error) {
    report.problem('configure', error);
  }
}

if (process.env.TASKMILL_REPORT) narrow();

// prune takes tests out that were not asked for.
function prune(suite, chosen) {
  suite.tests = suite.tests.filter(t => chosen(t.titlePath()));
  suite.suites.forEach(s => prune(s, chosen));
}

// shuffle orders the tests of each suite, and its suites, by a seed.
function shuffle(suite, seed) {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = n => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % n;
  };
  const mix = list => {
    for (let i = list.length - 1; i > 0; i--) {
      const j = next(i + 1);
      [list[i], list[j]] = [list[j], list[i]];
    }
  };
  const walk = s => {
    mix(s.tests);
    mix(s.suites);
    s.suites.forEach(walk);
  };
  walk(suite);
}

module.exports = class {
  constructor(runner) {
    const started = process.env.TASKMILL_REPORT;
    report.forget();
    delete process.env.TASKMILL_UNITS;
    delete process.env.NODE_OPTIONS;
    if (process.env.TASKMILL_NODE_OPTIONS) process.env.NODE_OPTIONS = process.env.TASKMILL_NODE_OPTIONS;
    if (!started) return;
    report.emit({ event: 'begin', runner: 'mocha', version: '' });
    this.done = new Set();
    this.seq = new Map(); // place in the source, whatever the order of running
    runner.suite.eachTest(t => this.seq.set(t, this.seq.size + 1));
    const chosen = report.selection();
    if (chosen) prune(runner.suite, chosen);
    const seed = Number(process.env.TASKMILL_SEED || 0);
    delete process.env.TASKMILL_SEED;
    if (seed) shuffle(runner.suite, seed);
    this.failures = 0;
    runner.on('test', t => report.emit({ event: 'start', ...where(t) }));
    runner.on('pass', t => this.tell(t, 'pass'));
    // A retried test is told once, by its last try.
    runner.on('pending', t => this.tell(t, 'skip'));
    runner.on('fail', (t, error) => this.fail(t, error));
    runner.on('end', () => report.emit({ event: 'end', failed: this.failures }));
  }

  tell(t, outcome, phase) {
    this.done.add(t);
    report.emit({ event: 'case', ...where(t), outcome, phase, seq: this.seq.get(t), seconds: report.seconds(t.duration) });
  }

  fail(t, error) {
    this.failures++;
    if (t.type !== 'hook') {
      const late = error && (error.code === 'ERR_MOCHA_TIMEOUT' || /^Timeout of \d+ms exceeded/.test(error.message));
      this.tell(t, this.done.has(t) ? 'error' : late ? 'timeout' : 'fail', 'call');
      return;
    }
    const name = t.title || '';
    if (name.startsWith('"before each"') || name.startsWith('"after each"')) {
      const test = t.ctx && t.ctx.currentTest;
      if (test) this.tell(test, 'error', 'hook');
    }
    // What the hook keeps from running, or was to clean up after.
    let path = t.parent.titlePath();
    if (t.parent.root) path = [];
    t.parent.eachTest(test => {
      if (!this.done.has(test) && !test.isPending()) this.tell(test, 'error', 'setup');
    });
    if (name.startsWith('"after all"')) report.emit({ event: 'suite', path, file: report.file(t.file || t.parent.file), outcome: 'error' });
    report.problem('hook', error, t.file);
  }
};

function where(t) {
  return { path: t.titlePath(), file: report.file(t.file || (t.parent && t.parent.file)) };
}
