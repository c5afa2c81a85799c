'use strict';
// Prepares a Node environment below {env} and ties a tree to it. Each of: install [DAY],
// from-lock, lock, link, run DIR SCRIPT, call WORD…, probe.
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const testbed = process.env.TASKMILL_TESTBED;
const env = path.dirname(__dirname);
const deps = path.join(env, 'deps');
const plan = JSON.parse(fs.readFileSync(path.join(__dirname, 'plan.json'), 'utf8'));
const { manager } = plan;
const root = path.join(deps, plan.root);
const record = path.join(__dirname, 'lock.json');

function fail(text) {
  process.stderr.write(text + '\n');
  process.exit(1);
}

function start(program, args, options) {
  return spawnSync(program, args, { stdio: 'inherit', ...options }).status === 0;
}

const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--no-update-notifier', '--loglevel=error'];
const npm = (args, cwd) => start('npm', [...args, ...quiet], { cwd });

// tool is the program of a manager that is not npm; it is fetched while preparing.
function tool() {
  const home = path.join(env, 'manager');
  const name = manager.source.slice(0, manager.source.lastIndexOf('@'));
  const at = path.join(home, 'node_modules', name);
  if (!fs.existsSync(path.join(at, 'package.json'))) {
    fs.mkdirSync(home, { recursive: true });
    fs.writeFileSync(path.join(home, 'package.json'), '{"private":true}');
    const get = source => npm(['install', '--no-save', '--package-lock=false', source], home);
    if (!get(manager.source) && !(manager.else && get(manager.else))) fail(`${manager.source} cannot be installed`);
  }
  const pkg = JSON.parse(fs.readFileSync(path.join(at, 'package.json'), 'utf8'));
  return path.join(at, typeof pkg.bin === 'string' ? pkg.bin : pkg.bin[manager.name]);
}

// resolve installs, as the lock says where it is whole, else as the manifests say: among the
// versions before a day where one is given and npm finds them.
function resolve(frozen, day) {
  const inEnv = extra => ({ cwd: root, env: { ...process.env, ...extra } });
  const registry = process.env.npm_config_registry || process.env.NPM_CONFIG_REGISTRY;
  switch (manager.name) {
    case 'npm': {
      const common = ['--include=dev', '--include=optional', '--include=peer', '--engine-strict=false', '--package-lock=true', '--global=false'];
      if (frozen && npm(['ci', ...common], root)) return true;
      if (frozen && npm(['ci', '--legacy-peer-deps', ...common], root)) return true;
      if (frozen === 'only') return false;
      const newest = day ? [[`--before=${day}`], []] : [[]];
      return newest.some(limit => npm(['install', ...limit, ...common], root) || npm(['install', '--legacy-peer-deps', ...limit, ...common], root));
    }
    case 'pnpm': {
      const args = ['install', '--ignore-scripts', '--config.engine-strict=false', '--config.confirmModulesPurge=false', '--config.manage-package-manager-versions=false',
        '--config.node-linker=isolated', '--store-dir', path.join(process.env.TMPDIR || '/tmp', 'pnpm-store'), '--reporter=append-only', '--prod=false'];
      const options = inEnv({ COREPACK_ENABLE_STRICT: '0', npm_config_manage_package_manager_versions: 'false' });
      const bin = tool();
      if (frozen && start(process.execPath, [bin, ...args, '--frozen-lockfile'], options)) return true;
      return frozen !== 'only' && start(process.execPath, [bin, ...args, '--no-frozen-lockfile'], options);
    }
  }
  const bin = tool();
  if (manager.berry) {
    const settings = {
      YARN_IGNORE_PATH: '1', YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_SCRIPTS: 'false', YARN_ENABLE_TELEMETRY: '0', YARN_ENABLE_PROGRESS_BARS: 'false',
      YARN_ENABLE_HARDENED_MODE: '0', YARN_NM_MODE: 'classic', ...(registry ? { YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, '') } : {}),
    };
    if (frozen && start(process.execPath, [bin, 'install', '--immutable'], inEnv({ ...settings, YARN_ENABLE_IMMUTABLE_INSTALLS: 'true' }))) return true;
    return frozen !== 'only' && start(process.execPath, [bin, 'install'], inEnv({ ...settings, YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' }));
  }
  const args = [bin, 'install', '--ignore-scripts', '--non-interactive', '--ignore-engines', '--no-progress', '--network-timeout', '300000', '--production=false', '--no-default-rc'];
  if (registry) args.push('--registry', registry);
  if (frozen && start(process.execPath, [...args, '--frozen-lockfile'], inEnv({}))) return true;
  return frozen !== 'only' && start(process.execPath, args, inEnv({}));
}

function lay() {
  fs.rmSync(deps, { recursive: true, force: true });
  fs.mkdirSync(root, { recursive: true });
  for (const p of plan.manifests) {
    const to = path.join(deps, p);
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.copyFileSync(path.join(testbed, p), to);
  }
}

// packages visits every folder of a package below a node_modules: node_modules, scopes and nested ones too.
function packages(modules, visit) {
  let names;
  try {
    names = fs.readdirSync(modules, { withFileTypes: true });
  } catch {
    return;
  }
  for (const d of names) {
    const at = path.join(modules, d.name);
    if (d.name === '.pnpm' && d.isDirectory()) {
      for (const v of fs.readdirSync(at)) packages(path.join(at, v, 'node_modules'), visit);
      continue;
    }
    if (d.name.startsWith('.')) continue;
    const each = d.name.startsWith('@') && d.isDirectory() ? fs.readdirSync(at).map(n => [`${d.name}/${n}`, path.join(at, n)]) : [[d.name, at]];
    for (const [name, dir] of each) {
      const link = fs.lstatSync(dir).isSymbolicLink();
      if (link || fs.statSync(dir).isDirectory()) {
        visit(name, dir, link);
        if (!link) packages(path.join(dir, 'node_modules'), visit);
      }
    }
  }
}

const homes = () => [plan.root, ...plan.packages.map(p => p.dir)].map(d => [d, path.join(deps, d, 'node_modules')]).filter(([, m]) => fs.existsSync(m));

// settle points into the tree what is the tree's own, links and released copies alike, and
// deletes the manifests.
function settle() {
  const self = new Map(plan.packages.concat({ name: plan.name, dir: plan.root }).filter(p => p.name).map(p => [p.name, p.dir]));
  const into = (at, dir) => {
    fs.rmSync(at, { recursive: true, force: true });
    fs.symlinkSync(path.join(testbed, dir), at);
  };
  for (const [, modules] of homes()) {
    packages(modules, (name, dir, link) => {
      if (link) {
        const to = path.resolve(path.dirname(dir), fs.readlinkSync(dir));
        const rel = path.relative(deps, to);
        if (!rel.startsWith('..') && !rel.split(path.sep).includes('node_modules')) into(dir, rel);
      } else if (self.has(name)) into(dir, self.get(name));
    });
  }
  const clear = dir => {
    for (const d of fs.readdirSync(dir, { withFileTypes: true })) {
      const at = path.join(dir, d.name);
      if (d.name === 'node_modules') continue;
      if (!d.isDirectory()) fs.rmSync(at, { force: true });
      else {
        clear(at);
        if (!fs.readdirSync(at).length) fs.rmdirSync(at);
      }
    }
  };
  clear(deps);
  fs.rmSync(path.join(env, 'manager'), { recursive: true, force: true });
}

function resolved() {
  const out = new Set();
  for (const [, modules] of homes()) {
    packages(modules, (name, dir, link) => {
      if (link) return;
      try {
        const { version } = JSON.parse(fs.readFileSync(path.join(dir, 'package.json'), 'utf8'));
        if (version) out.add(`${name}@${version}`);
      } catch {
        // a folder without a manifest is no package
      }
    });
  }
  return [...out].sort();
}

const lockName = () => path.basename(manager.lock || { npm: 'package-lock.json', pnpm: 'pnpm-lock.yaml', yarn: 'yarn.lock' }[manager.name]);

function install(frozen, day) {
  const lock = path.join(root, lockName());
  if (!resolve(frozen, day)) fail(`${manager.name} cannot install what package.json asks for`);
  const text = fs.existsSync(lock) ? fs.readFileSync(lock, 'utf8') : '';
  settle();
  // Our part of Vitest's workers asks for Vitest by name.
  for (const r of plan.runners) {
    if (r.name !== 'vitest') continue;
    for (let dir = path.join(deps, r.dir); dir.startsWith(env); dir = path.dirname(dir)) {
      const at = path.join(dir, 'node_modules/vitest');
      if (!fs.existsSync(at)) continue;
      fs.mkdirSync(path.join(__dirname, 'node_modules'), { recursive: true });
      tie(fs.realpathSync(at), path.join(__dirname, 'node_modules/vitest'));
      break;
    }
  }
  fs.writeFileSync(record, JSON.stringify({ manager: manager.source || 'npm', file: lockName(), packages: resolved(), lock: text }, null, 1) + '\n');
}

// link makes node_modules of links in the tree: a folder, so that what tools write there stays in
// the state, and what a .gitignore says of a folder holds.
function link() {
  const exclude = path.join(testbed, '.git/info');
  for (const [dir, modules] of homes()) {
    const to = path.join(testbed, dir, 'node_modules');
    if (dir && !fs.existsSync(path.join(testbed, dir))) continue;
    fs.mkdirSync(to, { recursive: true });
    for (const name of fs.readdirSync(modules)) {
      if (name === '.package-lock.json' || name === '.pnpm' || name === '.cache') continue;
      const at = path.join(to, name);
      if (name.startsWith('@') && fs.existsSync(at)) {
        for (const n of fs.readdirSync(path.join(modules, name))) tie(path.join(modules, name, n), path.join(at, n));
      } else tie(path.join(modules, name), at);
    }
  }
  if (fs.existsSync(path.join(testbed, '.git'))) {
    fs.mkdirSync(exclude, { recursive: true });
    fs.appendFileSync(path.join(exclude, 'exclude'), 'node_modules\n');
  }
}

function tie(from, to) {
  if (!fs.lstatSync(to, { throwIfNoEntry: false })) fs.symlinkSync(from, to);
}

// run runs a script, a command line or the name of one (#build), as npm does.
function run(cwd, script, args = []) {
  const bins = [];
  for (let d = cwd; d.startsWith(testbed); d = path.dirname(d)) bins.push(path.join(d, 'node_modules/.bin'));
  const pkg = JSON.parse(fs.readFileSync(path.join(cwd, 'package.json'), 'utf8'));
  const scripts = pkg.scripts || {};
  const more = args.map(a => ` '${a.replaceAll("'", "'\\''")}'`).join('');
  const named = script.startsWith('#') && script.slice(1);
  const lines = named ? [scripts[`pre${named}`], scripts[named] + more, scripts[`post${named}`]].filter(Boolean) : [script + more];
  for (const line of lines) {
    const ok = start('/bin/sh', ['-c', line], {
      cwd, env: { ...process.env, PATH: [...bins, standIns(), process.env.PATH].join(':'), npm_lifecycle_event: named || script, npm_package_name: pkg.name || '', npm_package_version: pkg.version || '', INIT_CWD: cwd },
    });
    if (!ok) process.exit(1);
  }
}

// standIns is a folder with what scripts call yarn and pnpm: the managers are there only while
// preparing.
function standIns() {
  const dir = path.join(os.tmpdir(), 'taskmill-managers');
  fs.mkdirSync(dir, { recursive: true });
  for (const name of ['yarn', 'yarnpkg', 'pnpm']) {
    fs.writeFileSync(path.join(dir, name), `#!/bin/sh\nexec '${process.execPath}' '${__filename}' call "$@"\n`, { mode: 0o755 });
  }
  return dir;
}

// call does what scripts ask of yarn and pnpm: to run a script of the package, or else a program
// that is installed.
function call(words) {
  while (['-s', '--silent', '--if-present'].includes(words[0])) words.shift();
  const verb = words[0];
  if (['run', 'run-script', 'exec'].includes(verb)) words.shift();
  if (verb === undefined || verb === 'install') return;
  const name = words.shift();
  if (name === undefined || name.startsWith('-') || ['workspace', 'workspaces', 'dlx', 'add', 'recursive'].includes(name)) fail(`${verb} of a package manager cannot be had while building`);
  if (words[0] === '--') words.shift();
  let cwd = process.cwd();
  while (!fs.existsSync(path.join(cwd, 'package.json')) && cwd !== path.dirname(cwd)) cwd = path.dirname(cwd);
  const { scripts = {} } = JSON.parse(fs.readFileSync(path.join(cwd, 'package.json'), 'utf8'));
  run(cwd, verb !== 'exec' && scripts[name] !== undefined ? `#${name}` : `'${name}'`, words);
}

// probe shows that the project's packages are those of the tree, whoever asks for them.
function probe() {
  const inside = fs.realpathSync(testbed);
  for (const p of plan.packages.concat({ name: plan.name, dir: plan.root })) {
    if (!p.name) continue;
    for (const [dir] of homes()) {
      const at = path.join(testbed, dir, 'node_modules', p.name);
      if (!fs.lstatSync(at, { throwIfNoEntry: false })) continue;
      const real = fs.realpathSync(at);
      if (real !== inside && !real.startsWith(inside + path.sep)) fail(`${p.name} is loaded from the environment`);
    }
  }
  for (const r of plan.runners) {
    if (r.name === 'node') continue;
    let dir = path.join(testbed, r.dir);
    while (!fs.existsSync(path.join(dir, 'node_modules', r.name)) && !(r.name === 'jest' && fs.existsSync(path.join(dir, 'node_modules/jest-cli')))) {
      if (dir === path.dirname(dir)) fail(`${r.name} is not installed`);
      dir = path.dirname(dir);
    }
  }
}

switch (process.argv[2]) {
  case 'install':
    lay();
    install(Boolean(manager.lock), process.argv[3]);
    break;
  case 'from-lock': {
    const lock = JSON.parse(fs.readFileSync(path.join(env, 'lock'), 'utf8'));
    lay();
    if (lock.lock) fs.writeFileSync(path.join(root, lock.file), lock.lock);
    install(lock.lock ? 'only' : false);
    break;
  }
  case 'lock':
    process.stdout.write(fs.readFileSync(record));
    break;
  case 'link':
    link();
    break;
  case 'run':
    run(path.join(testbed, process.argv[3]), process.argv[4]);
    break;
  case 'call':
    call(process.argv.slice(3));
    break;
  case 'probe':
    probe();
    break;
  default:
    fail(`unknown step ${process.argv[2]}`);
}
