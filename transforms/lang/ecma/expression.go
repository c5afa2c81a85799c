package ecma

import "slices"

// expression cuts a statement that is an expression, or the one expression of a callback.
func (s *source) expression(c *node, owner *decl) {
	if call, m := s.words.call(c); call != nil {
		switch {
		case m == callsTest && s.registers(call):
			s.add(&decl{what: isTest, node: c, owner: owner, refs: s.read(c), title: title(call, s.src, s.texts)})
			return
		case m == callsSuite && s.registers(call):
			s.suite(c, call, owner)
			return
		case m == callsHook && s.hook(call):
			s.add(&decl{what: isHook, node: c, owner: owner, refs: s.read(c)})
			return
		}
	}
	e := c
	if c.Kind == "expression_statement" {
		if k := code(c); len(k) == 1 {
			e = inner(k[0])
		}
	}
	if e == nil || e.Kind == "string" {
		return // a directive names nothing
	}
	if s.common(c, e, owner) {
		return
	}
	if e.Kind == "call_expression" && s.holdsTests(e) {
		if f := s.callback(e); f != nil {
			s.around(c, e, f, owner)
			return
		}
	}
	if (e.Kind == "binary_expression" || e.Kind == "ternary_expression") && s.holdsTests(e) {
		s.either(c, e, owner)
		return
	}
	d := &decl{what: isAnchor, node: c, owner: owner, refs: s.read(c)}
	if e.Kind == "call_expression" {
		if f := inner(e.Get("function")); f != nil && f.Kind == "identifier" {
			d.target, d.args = f.Text(s.src), arguments(e)
		}
		if m, ok := s.mock(e); ok {
			d.what, d.imp = isMock, imported{module: m}
		}
	}
	s.add(d)
}

// hook reports whether a call of a hook's name is one: a function among its arguments.
func (s *source) hook(call *node) bool {
	return slices.ContainsFunc(arguments(call), func(a *node) bool {
		a = inner(a)
		return isFunction(a) || a != nil && a.Kind == "identifier"
	})
}

// suite cuts a runner's call around tests.
func (s *source) suite(c, call *node, owner *decl) {
	d := &decl{what: isSuite, node: c, owner: owner, title: title(call, s.src, s.texts), refs: newRefs(s.src)}
	d.group(nil)
	s.add(d)
	args := arguments(call)
	var callback *node
	for _, a := range args {
		if f := inner(a); isFunction(f) {
			callback = f
		}
	}
	if callback == nil && len(args) > 1 {
		if f := inner(args[len(args)-1]); f != nil && f.Kind == "identifier" {
			d.target = f.Text(s.src)
		}
	}
	s.outside(d, c, callback)
	if callback != nil {
		d.body = callback.Get("body")
		s.head(d, callback)
		s.body(d)
	}
}

// around cuts a call whose callback holds tests: rows.forEach(row => test(…)).
func (s *source) around(c, call, callback *node, owner *decl) {
	d := &decl{what: isGroup, node: c, owner: owner, refs: newRefs(s.src)}
	d.group(callback.Get("body"))
	s.add(d)
	s.outside(d, c, callback)
	s.head(d, callback)
	s.body(d)
}

// either cuts "condition && test(…)" and "condition ? test(…) : test(…)".
func (s *source) either(c, e *node, owner *decl) {
	d := &decl{what: isGroup, node: c, owner: owner, refs: newRefs(s.src)}
	d.group(nil)
	s.add(d)
	for _, k := range code(e) {
		if s.holdsTests(k) {
			s.expression(k, d)
		} else {
			d.refs.read(k, nil)
		}
	}
}

// outside reads what a statement names beside a callback in it.
func (s *source) outside(d *decl, c, callback *node) {
	sc := (&scope{}).inside()
	var visit func(n *node)
	visit = func(n *node) {
		switch {
		case n == callback:
		case callback != nil && n.Start <= callback.Start && callback.End <= n.End && n.Kind != "member_expression":
			for _, k := range n.Children {
				visit(k)
			}
		default:
			d.refs.read(n, sc)
		}
	}
	visit(c)
}

// callback is the function among the arguments of a call, or of the call that it is chained to,
// that holds tests.
func (s *source) callback(call *node) *node {
	for depth := 0; call != nil && call.Kind == "call_expression" && depth < 8; depth++ {
		for _, a := range arguments(call) {
			if f := inner(a); isFunction(f) && s.holdsTests(f.Get("body")) {
				return f
			}
		}
		f := inner(call.Get("function"))
		if isFunction(f) { // (function () { … })()
			return f
		}
		if f == nil || f.Kind != "member_expression" {
			return nil
		}
		call = inner(f.Get("object"))
	}
	return nil
}

// common cuts an assignment to module.exports or exports: each key of an object is its own.
func (s *source) common(c, e *node, owner *decl) bool {
	out := commonExports(e, s.src)
	if len(out) == 0 {
		if whole, name := exportTarget(e.Get("left"), s.src); e.Kind != "assignment_expression" || !whole && name == "" {
			return false
		}
	}
	for _, x := range out {
		s.exports[x.name] = append(s.exports[x.name], x)
	}
	right := e.Get("right")
	if v := inner(right); v == nil || v.Kind != "object" || len(out) < 2 {
		s.add(&decl{what: isExport, node: c, owner: owner, refs: s.read(right), exp: first(out)})
		return true
	}
	for _, p := range code(inner(right)) {
		d := &decl{what: isExport, node: p, stmt: c, list: true, owner: owner, refs: s.read(p)}
		for _, x := range out {
			if x.node == p {
				d.exp = x
			}
		}
		s.add(d)
	}
	return true
}

func first[T any](s []T) T {
	var zero T
	if len(s) == 0 {
		return zero
	}
	return s[0]
}

// mock is the module that jest.mock("m") and its like replace.
func (s *source) mock(call *node) (string, bool) {
	f := inner(call.Get("function"))
	if f == nil || f.Kind != "member_expression" || !slices.Contains([]string{"jest", "vi"}, f.Get("object").Text(s.src)) ||
		!slices.Contains([]string{"mock", "unmock", "doMock", "dontMock", "setMock", "unstable_mockModule"}, f.Get("property").Text(s.src)) {
		return "", false
	}
	if args := arguments(call); len(args) > 0 {
		if m, ok := literal(args[0], s.src); ok {
			return m, true
		}
		if m, ok := required(inner(args[0]), s.src); ok {
			return m.module, true
		}
	}
	return "", false
}
