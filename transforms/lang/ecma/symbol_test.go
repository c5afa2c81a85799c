package ecma

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

func TestSymbols(t *testing.T) {
	for _, c := range []struct{ name, path, src, want string }{
		{"commonjs", "lib/a.js", `
const fs = require('fs')
const { join } = require('path')
/**
 * Makes it.
 */
function make (a, { b, c: d } = {}, ...rest) {}
const LIMIT = 3
class Box extends Base {
  #p = 1
  size = 2
  constructor (n) { super(); this.n = n }
  /** Opens. */
  static async open (x) {}
  get width () { return 1 }
  set width (w) {}
  _hidden () {}
}
Box.prototype.late = function (y) {}
Box.VERSION = '1'
exports.make = make
exports.inline = (q) => q
module.exports.alias = LIMIT
`, `
function make true 4-7 function make (a, { b, c: d } = {}, ...rest)
parameter make.a true 7-7 a
parameter make.b true 7-7 { b, c: d } = {}
parameter make.c true 7-7 { b, c: d } = {}
parameter make.rest true 7-7 ...rest
constant LIMIT true 8-8 LIMIT
class Box false 9-18 class Box extends Base
variable Box.#p false 10-10 #p
variable Box.size false 11-11 size
method Box.constructor false 12-12 constructor (n)
parameter Box.constructor.n false 12-12 n
variable Box.n false 12-12 this.n
method Box.open false 13-14 static async open (x)
parameter Box.open.x false 14-14 x
method Box.width false 16-16 set width (w)
parameter Box.width.w false 16-16 w
method Box._hidden false 17-17 _hidden ()
method Box.late false 19-19 Box.prototype.late = function (y)
parameter Box.late.y false 19-19 y
constant Box.VERSION false 20-20 Box.VERSION
function inline true 22-22 exports.inline = (q)
parameter inline.q true 22-22 q
variable alias true 23-23 exports.alias`},
		{"module.exports", "lib/b.js", `
var app = exports = module.exports = {}
app.use = function use (fn) {}
module.exports = {
  run (x) {},
  stop: () => {},
  app,
  level: 3,
  other: require('./other')
}
`, `
variable app true 2-2 app
method app.use true 3-3 app.use = function use (fn)
parameter app.use.fn true 3-3 fn
function run true 5-5 run (x)
parameter run.x true 5-5 x
function stop true 6-6 stop: ()
variable level true 8-8 level
variable other true 9-9 other`},
		{"esm", "src/c.mjs", `
export default function () {}
export const a = 1, b = (x) => x
export { local as given, local }
export { two, three as four } from './d.mjs'
export * from './e.mjs'
const local = { one () {}, two: 2 }
function hidden () {}
`, `
function default true 2-2 export default function ()
variable a true 3-3 a
function b true 3-3 b = (x)
parameter b.x true 3-3 x
variable given true 4-4 export { local as given }
variable two true 5-5 export { two }
variable four true 5-5 export { three as four }
variable local true 7-7 local
method local.one true 7-7 one ()
variable local.two true 7-7 two
function hidden false 8-8 function hidden ()`},
		{"typescript", "src/t.ts", `
export interface Options<T> extends Base {
  /** Depth. */
  depth?: number
  each(x: T): void
}
export type Name = string | Symbol
type Inner = { a: number }
export enum Level { Low, High = 2 }
export declare function load(a: string): void
export function over(a: string): string
export function over(a: number): number
export function over(a: any): any { return a }
export abstract class Shape<T> {
  constructor(private readonly x: number, public y?: string) {}
  private secret: number = 1
  static make = async (a?: number): Promise<void> => {}
  abstract area(): number
}
namespace Deep { export const inside = 1 }
export const typed: Map<string, number> = new Map()
`, `
type Options true 2-6 interface Options<T> extends Base
variable Options.depth true 3-4 depth?: number
method Options.each true 5-5 each(x: T): void
parameter Options.each.x true 5-5 x: T
type Name true 7-7 type Name = string | Symbol
type Inner false 8-8 type Inner = { a: number }
variable Inner.a false 8-8 a: number
type Level true 9-9 enum Level
constant Level.Low true 9-9 Low
constant Level.High true 9-9 High = 2
function load true 10-10 function load(a: string): void
parameter load.a true 10-10 a: string
function over true 13-13 function over(a: any): any
parameter over.a true 13-13 a: any
class Shape true 14-19 abstract class Shape<T>
method Shape.constructor true 15-15 constructor(private readonly x: number, public y?: string)
parameter Shape.constructor.x true 15-15 private readonly x: number
variable Shape.x false 15-15 private readonly x: number
parameter Shape.constructor.y true 15-15 public y?: string
variable Shape.y true 15-15 public y?: string
variable Shape.secret false 16-16 private secret: number
method Shape.make true 17-17 static make = async (a?: number): Promise<void>
parameter Shape.make.a true 17-17 a?: number
method Shape.area true 18-18 abstract area(): number
type Deep false 20-20 namespace Deep
variable Deep.inside true 20-20 Deep.inside
variable typed true 21-21 typed: Map<string, number>`},
		{"declarations", "typings/index.d.ts", `
export class Command {
  name(str: string): this;
  name(): string;
}
export const program: Command;
declare module 'x' { interface Extra { a: 1 } }
`, `
class Command true 2-5 class Command
method Command.name true 4-4 name(): string
parameter Command.name.str true 3-3 str: string
variable program true 6-6 program: Command
type Extra true 7-7 interface Extra
variable Extra.a true 7-7 a: 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := TypeScript.Symbols(files(c.path, c.src), c.path)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, s := range got {
				fmt.Fprintf(&b, "\n%s %s %v %d-%d %s", s.Kind, s.Name, s.Exported, s.Start, s.End, s.Signature)
			}
			if d := cmp.Diff(c.want, b.String()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSymbolDocs(t *testing.T) {
	got, err := JavaScript.Symbols(files("a.js", "/**\n * One.\n *\n * @param a\n */\nfunction f (a) {}\n\n/** far */\n\nfunction g () {}\n"), "a.js")
	if err != nil || len(got) != 3 || got[0].Doc != "One.\n\n@param a" || got[2].Doc != "" {
		t.Errorf("%+v %v", got, err)
	}
}

// names joins the names of symbols.
func names(syms []model.Symbol) string {
	var out []string
	for _, s := range syms {
		out = append(out, s.Name)
	}
	return strings.Join(out, " ")
}

func TestNames(t *testing.T) {
	syms := []model.Symbol{
		{Path: "src/a.ts", Name: "make"}, {Path: "src/a.ts", Name: "Box", Kind: "class"}, {Path: "src/a.ts", Name: "Box.unpack", Kind: "method"},
		{Path: "src/a.ts", Name: "Box.open", Kind: "method"}, {Path: "src/a.ts", Name: "default"}, {Path: "src/a.ts", Name: "make.deep", Kind: "parameter"},
		{Path: "src/o.ts", Name: "Options.maxRetries", Kind: "variable"}, {Path: "src/o.ts", Name: "Options.name", Kind: "variable"},
	}
	base := []string{
		"package.json", `{"name": "pkg", "exports": {".": {"import": "./dist/index.js"}, "./*": "./dist/*.js"}, "imports": {"#a": "./src/a.ts"}}`,
		"tsconfig.json", "{\n // paths\n \"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@/*\": [\"src/*\"],}}}",
		"src/index.ts", "export { make, Box as Crate } from './a.js'\nexport * as all from './a'\nexport { default } from './a'\n",
		"src/stars.ts", "export * from './index'\n", "src/a.ts", "", "src/b.ts", "export class Other { open() {} }\n",
		"packages/c/package.json", `{"name": "@s/c", "main": "src/main.ts"}`, "packages/c/src/main.ts", "export { make } from '../../../src/a'\n",
	}
	for _, c := range []struct{ src, want string }{
		{"import { make } from '../src/a'", "make"},
		{"import { make as m } from '../src/a.js'; m({ deep: 1 })", "make make.deep"},
		{"import { make } from 'pkg'", "make"},
		{"import { make } from 'pkg/stars'", "make"},
		{"import { Crate } from '../src'\nCrate.open()", "Box Box.open"},
		{"import { Box } from '../src'", ""},
		{"import * as ns from '../src/a'\nns.make()", "make"},
		{"import * as ns from '../src/a'\nnew ns.Box().x()", "Box"},
		{"import { all } from 'pkg'\nall.make({})", "make"},
		{"const { make } = require('../src/a')", "make"},
		{"const make = require('../src/a').make", "make"},
		{"const a = await import('#a')\na.make()", "make"},
		{"import { make } from '@/a'", "make"},
		{"import { make } from '@s/c'", "make"},
		{"import a from '../src/a'", "default"},
		{"import a from 'pkg'", "default"},
		{"import { Box } from '@/a'\nconst b = new Box()\nb.open()", "Box Box.open"},
		{"x.unpack()", "Box.unpack"},
		{"x.open()", ""},
		{"x.name", ""},
		{"run({ maxRetries: 1 })", "Options.maxRetries"},
		{"import { make } from './a'", ""},
		{"import { make } from 'other'", ""},
		{"// make from '../src/a'\nconst s = 'make'", ""},
		{"jest.mock('../src/a'); const x = () => import('../src/a')", ""},
	} {
		got, err := TypeScript.Names(files(append(base, "test/x.test.ts", c.src+"\n")...), "test/x.test.ts", syms)
		if err != nil || names(got) != c.want {
			t.Errorf("%s names %q, want %q; %v", c.src, names(got), c.want, err)
		}
	}
	if _, err := TypeScript.Names(files("test/x.test.ts", "const = 1"), "test/x.test.ts", syms); err == nil {
		t.Error("a file that does not parse has names")
	}
}

func TestOpen(t *testing.T) {
	before := []string{
		"lib/index.js", "const { Command } = require('./command')\nexports.Command = Command\n",
		"lib/command.js", "class Command { parse () {} }\nexports.Command = Command\n",
		"lib/broken.js", "const = 1\n",
	}
	removed := []model.Symbol{
		{Path: "lib/option.js", Name: "Option", Kind: "class"}, {Path: "lib/option.js", Name: "Option.argParser", Kind: "method"},
		{Path: "lib/command.js", Name: "suggestSimilar", Kind: "function"}, {Path: "lib/command.js", Name: "Command.parse", Kind: "method"},
		{Path: "lib/command.js", Name: "Command.parse.argv", Kind: "parameter"},
	}
	for _, c := range []struct {
		name  string
		after []string
		want  string
	}{
		{"closed", before, ""},
		{"import of what is gone", []string{"lib/index.js", "const { Command } = require('./command')\nconst { Option } = require('./option')\n"}, "lib/index.js:2 Option"},
		{"handed on", []string{"lib/index.js", "module.exports = require('./option')\n", "lib/use.js", "const lib = require('.')\nlib.Option\n"}, "lib/use.js:2 Option"},
		{"a member", []string{"lib/use.js", "x.argParser(1)\n"}, "lib/use.js:1 Option.argParser"},
		{"its own file", []string{"lib/command.js", "class Command { parse () { suggestSimilar() } }\nexports.Command = Command\n"}, "lib/command.js:1 suggestSimilar"},
		{"defined another way", []string{"lib/command.js", "const suggestSimilar = 1\nclass Command { parse () { suggestSimilar() } }\n"}, ""},
		{"too many arguments", []string{"lib/use.js", "const { Command } = require('./command')\nnew Command().parse({ argv: 1 })\n"}, ""},
		{"in a test", []string{"test/a.test.js", "const { Option } = require('../lib/option')\n"}, ""},
	} {
		at := map[string]string{}
		for i := 0; i < len(before); i += 2 {
			at[before[i]] = before[i+1]
		}
		for i := 0; i < len(c.after); i += 2 {
			at[c.after[i]] = c.after[i+1]
		}
		var now []string
		for _, p := range sorted(at) {
			now = append(now, p, at[p])
		}
		got, err := JavaScript.Open(files(now...), removed, files(before...))
		if err != nil || strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q; %v", c.name, got, c.want, err)
		}
		if got, err := JavaScript.Open(files(now...), removed, files(now...)); err != nil || len(got) > 0 {
			t.Errorf("%s: what was open before is %q; %v", c.name, got, err)
		}
	}
}

// Whatever the source, symbols lie in it and have one line, and what the file itself names can
// be asked.
func FuzzSymbols(f *testing.F) {
	f.Add("export class A<T> { constructor(public x: T) {} }\nexports.a = { b: () => {} }", "src/a.ts", "A.x")
	f.Add("module.exports = exports = class { static #p () {} }; export * from './a'", "lib/index.js", "default")
	f.Add("declare namespace N.M { enum E { A = 1 } }\nimport x = require('x')", "a.d.ts", "N.M")
	f.Fuzz(func(t *testing.T, src, p, name string) {
		in := tree.Of(model.File{Path: "src/a.ts", Data: []byte(src)}, model.File{Path: "package.json", Data: []byte(src)}, model.File{Path: "tsconfig.json", Data: []byte(src)})
		TypeScript.Kind(p)
		JavaScript.Kind(p)
		found, err := TypeScript.Symbols(in, "src/a.ts")
		if err != nil {
			return
		}
		n := strings.Count(src, "\n") + 1
		for _, s := range found {
			if s.Start < 1 || s.End < s.Start || s.End > n || strings.Contains(s.Signature, "\n") {
				t.Fatalf("%+v in %d lines", s, n)
			}
		}
		if _, err := TypeScript.Names(in, "src/a.ts", append(found, model.Symbol{Path: p, Name: name})); err != nil {
			t.Fatal(err)
		}
		if open, err := TypeScript.Open(in, found, in); err != nil || len(open) > 0 {
			t.Fatal(open, err)
		}
	})
}
