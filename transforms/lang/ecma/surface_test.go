package ecma

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

func TestSurfaces(t *testing.T) {
	for _, c := range []struct{ name, path, src, want string }{
		{"mocha", "test/a.js", `
describe('outer', function () {
  context("in", () => {
    it('works', done => done()).timeout(5)
    specify.only(` + "`t ${a} ${b()}`" + `, f)
    it('pending')
    xit('off', f)
  })
  this.timeout(3)
})
suite('tdd', () => { setup(f); test('x', f) })`, `
outer > in > works 4-4
outer > in > t ${a} ${b()} 5-5
outer > in > pending 6-6
outer > in > off 7-7
tdd > x 11-11`},
		{"node:test", "a.test.mjs", `
import { describe as group, it, test as t2, before } from 'node:test'
import run from 'node:test'
group('g', { concurrency: 2 }, async () => {
  await it('a', { skip: true }, () => {})
  before(f)
})
t2('top', async (t) => { await t.test('sub', () => {}) })
run.describe('d', () => { run('b', f) })
run(function named () {})
run.skip('c', f)
run(() => {})`, `
g > a 5-5
top 8-8
d > b 9-9
named 10-10
c 11-11
<anonymous> 12-12`},
		{"jest", "a.test.js", `
const NAME = 'const'
describe.each([[1], [2]])('n %i', (n) => {
  test.each` + "`a | b\n  ${1} | ${2}`" + `('$a and $b', ({ a }) => {})
  it.concurrent.each(rows)('c %s', f)
})
test.todo('later')
test.skip.each([1])('s %p', f)
describe(NAME, () => { it('x' + y, f); it.failing("q\"\u0041", f) })
describe(Klass, () => { it('z', f) })
fit('f', f)`, `
n %i > $a and $b 4-5
n %i > c %s 6-6
later 8-8
s %p 9-9
const > x${y} 10-10
const > q"A 10-10
${Klass} > z 11-11
f 12-12`},
		{"vitest", "a.spec.ts", `
import { test as base, describe, it } from 'vitest'
const test = base.extend<{ a: number }>({ a: 1 })
const maybe = process.env.X ? it : it.skip
describe.skipIf(win)('d', () => { test('a', ({ a }) => {}); maybe('b', f) })
;(skip ? describe.skip : describe)('e', { timeout: 1 }, () => { it.for([1])('r %i', f) })
it('same', f)
it('same', f)
it.runIf(x)('cond', f)
test.scoped({ a: 2 })
cond && it('and', f)`, `
d > a 5-5
d > b 5-5
e > r %i 6-6
same 7-7
same #2 8-8
cond 9-9
and 11-11`},
		{"ava", "test.js", `
import test from 'ava'
const macro = test.macro(t => t.pass())
test.before(t => {})
test('a', macro)
test.serial.failing('b', t => {})
test.todo('c')
for (const x of [1, 2]) test(x + '', t => {})`, `
a 5-5
b 6-6
c 7-7
${x} 8-8`},
		{"calls", "test/a.js", `
const check = (name, x) => it('is ' + name, () => x)
function all () { describe('all', () => { it('p', f); it('q', f) }) }
describe('d', () => { check('one', 1); check(name, 2) })
all()
describe('e', all)
;['m', 'n'].forEach(k => { describe(k, () => { it('w', f) }) })
if (x) { it('y', f) } else { it('z', f) }
function unused () { it('never', f) }`, `
d > is one 4-4
d > is ${name} 4-4
all > p 3-3
all > q 3-3
e > all > p 3-3
e > all > q 3-3
${k} > w 7-7
y 8-8
z 8-8`},
		{"none", "test/a.js", `
const r = /x/.test('y')
obj.it('a', f)
function test (x) {}
test('a', () => {})
setup()
`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := JavaScript.Surfaces(files(c.path, c.src), c.path)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, s := range got {
				b.WriteString("\n" + s.Function + " " + lines(s))
				if s.Path != c.path || s.Unit != c.path || s.Digest == "" {
					t.Errorf("%+v", s)
				}
			}
			if d := cmp.Diff(c.want, b.String()); d != "" {
				t.Error(d)
			}
		})
	}
}

func lines(s model.Surface) string {
	return strings.Join([]string{strconv.Itoa(s.Start), strconv.Itoa(s.End)}, "-")
}

// The digest changes with all that decides what a test checks, and with nothing else.
func TestDigest(t *testing.T) {
	const src = `import { f, g } from '../src/a'
const table = [[1, 2]]
const other = 1
function help () { return deep() }
function deep () { return f }
beforeEach(() => { start() })
function start () {}
describe('d', () => {
  let x
  before(() => { x = 1 })
  it('one', () => { help(x) })
  it.each(table)('two %i', () => {})
  it('snap', () => { expect(1).toMatchSnapshot() })
})
describe('e', () => { before(h); it('three', () => { g(other) }) })
`
	const snap = "exports[`d > snap 1`] = `1`;\n\nexports[`e > three 1`] = `2`;\n"
	digests := func(src, snap string) map[string]model.Hash {
		found, err := TypeScript.Surfaces(files("test/a.test.ts", src, "test/__snapshots__/a.test.ts.snap", snap), "test/a.test.ts")
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]model.Hash{}
		for _, s := range found {
			out[s.Function] = s.Digest
		}
		return out
	}
	before := digests(src, snap)
	for _, c := range []struct{ from, to, want string }{
		{"return f }", "return f() }", "d > one"},
		{"[[1, 2]]", "[[1, 3]]", "d > two %i"},
		{"start () {}", "start () { f() }", "d > one d > snap d > two %i e > three"},
		{"x = 1 })", "x = 2 })", "d > one d > snap d > two %i"},
		{"help(x)", "help(x, 1)", "d > one"},
		{"before(h)", "before(k)", "e > three"},
		{"other = 1", "other = 2", "e > three"},
		{"describe('d', ()", "describe('d', async ()", "d > one d > snap d > two %i"},
		{"{ f, g }", "{ f, g, h }", ""},
		{"snap 1`] = `1`", "snap 1`] = `9`", "d > snap"},
	} {
		after := digests(strings.Replace(src, c.from, c.to, 1), strings.Replace(snap, c.from, c.to, 1))
		var got []string
		for _, f := range sorted(before) {
			if before[f] != after[f] {
				got = append(got, f)
			}
		}
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", c.to, d)
		}
	}
}

func TestUses(t *testing.T) {
	in := files(
		"package.json", `{"name": "pkg", "main": "./lib/index.js"}`,
		"lib/index.js", "exports.Command = class Command {}\n", "lib/option.js", "exports.Option = class {}\n",
		"test/tool.js", "const { Option } = require('../lib/option')\nexports.make = () => new Option({ strict: 1 })\n",
		"test/a.test.js", `const commander = require('../')
const { Command: C } = require('pkg')
const fs = require('fs')
const { make } = require('./tool')
it('one', () => { const c = new commander.Command('x'); c.parseAsync({ from: 'user' }); fs.readFileSync() })
it('two', () => { make().argParser(C.create) })
`)
	found, err := JavaScript.Surfaces(in, "test/a.test.js")
	if err != nil || len(found) != 2 {
		t.Fatal(found, err)
	}
	for i, want := range []string{
		"Command from parseAsync parseAsync.from readFileSync",
		"Command Command.create Option Option.strict argParser create strict",
	} {
		if d := cmp.Diff(want, strings.Join(found[i].Uses, " ")); d != "" {
			t.Error(d)
		}
	}
}

// Whatever the source and the title, nothing panics, names are unique, and each is the function of its own id.
func FuzzSurfaces(f *testing.F) {
	f.Add("describe('a', () => { it('b', f); it(`c ${d}`, f) })", "a > c 1 #2")
	f.Add("const x = () => it('a', x);x();x()", "%s $a ${")
	f.Add("test.each`a|b`('$a', f)\nexports.a = test", " > ")
	f.Fuzz(func(t *testing.T, src, name string) {
		in := tree.Of(model.File{Path: "a.test.ts", Data: []byte(src)})
		found, err := TypeScript.Surfaces(in, "a.test.ts")
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, s := range found {
			if f, ok := TypeScript.Titled("a.test.ts"+separator+s.Function, functions(found)); !ok || f != s.Function {
				t.Fatalf("%q is of %q", s.Function, f)
			}
			if seen[s.Function] {
				t.Fatalf("%q twice", s.Function)
			}
			seen[s.Function] = true
		}
		TypeScript.Titled(name, functions(found))
	})
}
