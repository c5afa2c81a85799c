'use strict';
// node:test with only some of its tests: those that were not asked for are never declared. Its
// own patterns know the last title only, and take suites along.
const Module = require('node:module');
const { AsyncLocalStorage } = require('node:async_hooks');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const real = require('node:test');

const stack = new AsyncLocalStorage();

exports.narrow = function (chosen, planted, units) {
  const files = units.map(u => path.join(process.env.TASKMILL_TESTBED || '', u));
  const wrap = (call, suite) =>
    function (...args) {
      const at = args.findIndex(a => typeof a === 'function');
      const name = typeof args[0] === 'string' ? args[0] : (at >= 0 && args[at].name) || '';
      const titles = [...(stack.getStore() || []), name];
      if (files.length) {
        const trace = new Error().stack;
        files.forEach((f, i) => trace.includes(f) && planted.set(name, units[i]));
      }
      if (!suite && !chosen(titles)) return Promise.resolve();
      if (at >= 0) {
        const fn = args[at];
        args[at] = function (...rest) {
          return stack.run(titles, () => fn.apply(this, rest));
        };
        Object.defineProperty(args[at], 'length', { value: fn.length });
        Object.defineProperty(args[at], 'name', { value: fn.name });
      }
      return call.apply(this, args);
    };
  const api = wrap(real, false);
  for (const key of Object.keys(real)) {
    const value = real[key];
    if (typeof value !== 'function' || !['test', 'it', 'describe', 'suite', 'skip', 'todo', 'only'].includes(key)) {
      api[key] = value;
      continue;
    }
    const suite = key === 'describe' || key === 'suite';
    api[key] = key === 'test' ? api : wrap(value, suite);
    if (key !== 'test') for (const k of ['skip', 'todo', 'only']) if (value[k]) api[key][k] = wrap(value[k], suite);
  }
  globalThis[Symbol.for('taskmill.test')] = api;
  const load = Module._load;
  Module._load = function (request, ...rest) {
    return request === 'node:test' ? api : load.call(this, request, ...rest);
  };
  const names = Object.keys(api).filter(k => /^[A-Za-z]\w*$/.test(k) && k !== 'default');
  const source = `const api = globalThis[Symbol.for('taskmill.test')];\nexport default api;\n` + names.map(k => `export const ${k} = api.${k};`).join('\n');
  const hooks = `const url = ${JSON.stringify('data:text/javascript,' + encodeURIComponent(source))};
export async function resolve(specifier, context, next) {
  return specifier === 'node:test' ? { url, format: 'module', shortCircuit: true } : next(specifier, context);
}`;
  Module.register('data:text/javascript,' + encodeURIComponent(hooks), pathToFileURL(__filename));
};
