package web_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/template/parse"
)

// TestEveryTemplateFitsItsData type-checks every template against its declared data: each field,
// method and component must exist and each argument fit, also on paths that no other test takes.
func TestEveryTemplateFitsItsData(t *testing.T) {
	t.Parallel()
	c := &templateChecker{t: t, pages: map[string]map[string]*parse.Tree{}, shared: map[string]*parse.Tree{}, functions: map[string]*types.Signature{}, seen: map[string]bool{}}
	c.readTemplates()
	c.readTypes()
	for name := range c.pages {
		if len(c.data[name]) == 0 {
			t.Errorf("no page.Template is declared for %s", name)
		}
	}
	for name, all := range c.data {
		for _, data := range all {
			c.checkPage(name, data)
		}
	}
	for name, data := range c.fragments {
		c.call(name, name, data)
	}
	for name := range c.shared {
		if !c.called[name] && name != "layout.html" {
			t.Errorf("nothing uses the template %s", name)
		}
	}
	for _, fault := range c.faults {
		t.Error(fault)
	}
	c.faults = nil
	for _, wrong := range []string{`{{.Titel}}`, `{{with .Data}}{{.Nothing}}{{end}}`, `{{template "field" (field "name" | filled 3)}}`, `{{asset .Refresh}}`} {
		c.text("signin", wrong)
		if len(c.faults) == 0 {
			t.Errorf("%s is not found to be wrong", wrong)
		}
		c.faults = nil
	}
}

// templateChecker evaluates templates with types, as html/template does with values.
type templateChecker struct {
	t         *testing.T
	pages     map[string]map[string]*parse.Tree // what each page defines
	shared    map[string]*parse.Tree            // the layout and the components
	functions map[string]*types.Signature
	view      types.Type // page.View, generic
	data      map[string][]types.Type
	fragments map[string]types.Type

	seen, called map[string]bool
	faults       []string
}

// scope is the type of the dot and of the variables at an action.
type scope struct {
	page, name string
	dot        types.Type
	variables  map[string]types.Type
}

func (s scope) with(dot types.Type) scope {
	s.dot = dot
	return s
}

func (c *templateChecker) fault(s scope, format string, args ...any) types.Type {
	c.faults = append(c.faults, s.page+": "+s.name+": "+fmt.Sprintf(format, args...))
	return nil
}

func (c *templateChecker) parse(name, text string) map[string]*parse.Tree {
	tree := parse.New(name)
	tree.Mode = parse.SkipFuncCheck
	trees := map[string]*parse.Tree{}
	if _, err := tree.Parse(text, "", "", trees); err != nil {
		c.t.Fatal(err)
	}
	return trees
}

func (c *templateChecker) readTemplates() {
	for _, folder := range []string{"pages", "parts", "."} {
		files, err := filepath.Glob("templates/" + folder + "/*.html")
		if err != nil || len(files) == 0 {
			c.t.Fatalf("no templates in %s: %v", folder, err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				c.t.Fatal(err)
			}
			name := strings.TrimSuffix(filepath.Base(file), ".html")
			own := map[string]*parse.Tree{}
			if folder == "pages" {
				c.pages[name] = own
			}
			for defined, tree := range c.parse(file, string(raw)) {
				switch {
				case folder == "pages" && (defined == "main" || defined == "header" || defined == "sheets"):
					own[defined] = tree
				case defined != file || name == "layout":
					c.shared[strings.TrimPrefix(defined, "templates/")] = tree
				}
			}
		}
	}
}

// readTypes reads the declared templates and the functions from the sources.
func (c *templateChecker) readTypes() {
	fset := token.NewFileSet()
	exports := map[string]string{}
	out, err := exec.CommandContext(c.t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./...").Output()
	if err != nil {
		c.t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, errors.New("no export data")
		}
		return os.Open(exports[path])
	})
	shared, err := imports.Import("paraph/app/web/page")
	if err != nil {
		c.t.Fatal(err)
	}
	c.view = shared.Scope().Lookup("View").Type()
	c.data, c.fragments, c.called = map[string][]types.Type{}, map[string]types.Type{}, map[string]bool{}
	for path := range exports {
		if under, ok := strings.CutPrefix(path, "paraph/app/web/"); ok {
			c.readPackage(fset, imports, path, under)
		}
	}
}

func (c *templateChecker) readPackage(fset *token.FileSet, imports types.Importer, path, dir string) {
	names, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		c.t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			c.t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	pkg, err := (&types.Config{Importer: imports}).Check(path, fset, files, info)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, name := range pkg.Scope().Names() {
		if x, ok := pkg.Scope().Lookup(name).(*types.Const); ok {
			c.declare(x)
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if x, ok := n.(*ast.CompositeLit); ok && info.TypeOf(x).String() == "html/template.FuncMap" {
				c.readFunctions(info, x)
			}
			return true
		})
	}
}

// declare records a constant page.Template or page.Fragment.
func (c *templateChecker) declare(x *types.Const) {
	named, ok := x.Type().(*types.Named)
	if !ok || named.TypeArgs().Len() != 1 {
		return
	}
	name := constant.StringVal(x.Val())
	switch data := named.TypeArgs().At(0); named.Obj().Name() {
	case "Template":
		c.data[name] = append(c.data[name], data)
	case "Fragment":
		c.fragments[name] = data
	}
}

func (c *templateChecker) readFunctions(info *types.Info, x *ast.CompositeLit) {
	for _, e := range x.Elts {
		pair := e.(*ast.KeyValueExpr)
		name := constant.StringVal(info.Types[pair.Key].Value)
		c.functions[name] = info.TypeOf(pair.Value).Underlying().(*types.Signature)
	}
}

func (c *templateChecker) checkPage(name string, data types.Type) {
	view, err := types.Instantiate(nil, c.view, []types.Type{data}, true)
	if err != nil {
		c.t.Fatal(err)
	}
	c.call(name, "layout.html", view)
}

// text checks a text as if it were part of a page.
func (c *templateChecker) text(page, text string) {
	view, err := types.Instantiate(nil, c.view, []types.Type{c.data[page][0]}, true)
	if err != nil {
		c.t.Fatal(err)
	}
	c.walk(scope{page: page, name: text, dot: view, variables: map[string]types.Type{"$": view}}, c.parse("text", text)["text"].Root)
}

// call checks a template against the type of its data.
func (c *templateChecker) call(page, name string, dot types.Type) {
	tree := c.pages[page][name]
	if tree == nil {
		tree = c.shared[name]
		c.called[name] = true
	}
	key := fmt.Sprint(page, " ", name, " ", dot)
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	s := scope{page: page, name: name, dot: dot, variables: map[string]types.Type{"$": dot}}
	if tree == nil {
		c.fault(s, "there is no such template")
		return
	}
	c.walk(s, tree.Root)
}

func (c *templateChecker) walk(s scope, list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			c.pipe(s, n.Pipe)
		case *parse.TemplateNode:
			c.call(s.page, n.Name, c.pipe(s, n.Pipe))
		case *parse.IfNode:
			c.pipe(s, n.Pipe)
			c.walk(s, n.List)
			c.walk(s, n.ElseList)
		case *parse.WithNode:
			c.walk(s.with(c.pipe(s, n.Pipe)), n.List)
			c.walk(s, n.ElseList)
		case *parse.RangeNode:
			c.walk(s.with(c.items(s, n.Pipe)), n.List)
			c.walk(s, n.ElseList)
		}
	}
}

// items returns the element type of a range, and sets its variables.
func (c *templateChecker) items(s scope, p *parse.PipeNode) types.Type {
	of := c.pipe(s, p)
	if of == nil {
		return nil
	}
	key, item := types.Type(types.Typ[types.Int]), types.Type(nil)
	switch x := pointed(of).Underlying().(type) {
	case *types.Slice:
		item = x.Elem()
	case *types.Array:
		item = x.Elem()
	case *types.Map:
		key, item = x.Key(), x.Elem()
	case *types.Basic:
		item = of
	default:
		return c.fault(s, "{{range %s}} over a %s", p, of)
	}
	if n := len(p.Decl); n > 0 {
		s.variables[p.Decl[n-1].Ident[0]] = item
		if n == 2 {
			s.variables[p.Decl[0].Ident[0]] = key
		}
	}
	return item
}

// pipe returns the type of a pipeline, nil if it is not known.
func (c *templateChecker) pipe(s scope, p *parse.PipeNode) types.Type {
	if p == nil {
		return nil
	}
	var last types.Type
	for i, cmd := range p.Cmds {
		var piped []types.Type
		if i > 0 {
			piped = []types.Type{last}
		}
		last = c.command(s, cmd, piped)
	}
	for _, v := range p.Decl {
		s.variables[v.Ident[0]] = last
	}
	return last
}

func (c *templateChecker) command(s scope, cmd *parse.CommandNode, piped []types.Type) types.Type {
	var args []types.Type
	for _, a := range cmd.Args[1:] {
		args = append(args, c.value(s, a, nil))
	}
	return c.value(s, cmd.Args[0], append(args, piped...))
}

// value returns the type of an operand, called with arguments if it is a function.
func (c *templateChecker) value(s scope, n parse.Node, args []types.Type) types.Type {
	switch n := n.(type) {
	case *parse.DotNode:
		return s.dot
	case *parse.FieldNode:
		return c.chain(s, s.dot, n.Ident, args)
	case *parse.VariableNode:
		return c.chain(s, s.variables[n.Ident[0]], n.Ident[1:], args)
	case *parse.ChainNode:
		return c.chain(s, c.value(s, n.Node, nil), n.Field, args)
	case *parse.PipeNode:
		return c.pipe(s, n)
	case *parse.IdentifierNode:
		return c.function(s, n.Ident, args)
	case *parse.StringNode:
		return types.Typ[types.String]
	case *parse.BoolNode:
		return types.Typ[types.Bool]
	case *parse.NumberNode:
		return types.Typ[types.Int]
	}
	return nil
}

// chain returns the type of a chain of fields and methods.
func (c *templateChecker) chain(s scope, of types.Type, names []string, args []types.Type) types.Type {
	for i, name := range names {
		if of == nil {
			return nil
		}
		if m, ok := pointed(of).Underlying().(*types.Map); ok {
			of = m.Elem()
			continue
		}
		found, _, _ := types.LookupFieldOrMethod(of, true, nil, name)
		switch x := found.(type) {
		case *types.Var:
			of = x.Type()
		case *types.Func:
			own := args
			if i < len(names)-1 {
				own = nil
			}
			of = c.result(s, name, x.Signature(), own)
		default:
			return c.fault(s, "%s has no %s", of, name)
		}
	}
	return of
}

// function returns the result type of a function.
func (c *templateChecker) function(s scope, name string, args []types.Type) types.Type {
	if f := c.functions[name]; f != nil {
		return c.result(s, name, f, args)
	}
	switch name {
	case "eq", "ne", "lt", "le", "gt", "ge", "not":
		return types.Typ[types.Bool]
	case "len":
		return types.Typ[types.Int]
	case "and", "or":
		return common(args)
	case "index":
		return element(args[0], len(args)-1)
	case "slice":
		return args[0]
	case "printf", "print", "html", "js", "urlquery":
		return types.Typ[types.String]
	}
	return c.fault(s, "there is no function %s", name)
}

// result checks the arguments of a call and returns the type of its result.
func (c *templateChecker) result(s scope, name string, f *types.Signature, args []types.Type) types.Type {
	for i, a := range args {
		last := f.Params().Len() - 1
		if i > last && !f.Variadic() {
			return c.fault(s, "%s takes no more than %d arguments", name, last+1)
		}
		takes := f.Params().At(min(i, last)).Type()
		if f.Variadic() && i >= last {
			takes = takes.(*types.Slice).Elem()
		}
		if a != nil && !fits(a, takes) {
			return c.fault(s, "%s takes a %s, not a %s", name, takes, a)
		}
	}
	if needs := f.Params().Len(); len(args) < needs && !(f.Variadic() && len(args) == needs-1) {
		return c.fault(s, "%s takes %d arguments, not %d", name, needs, len(args))
	}
	return f.Results().At(0).Type()
}

// fits reports whether html/template can pass a value to a parameter. The same type may come from
// sources and from export data, so types are compared by name.
func fits(a, takes types.Type) bool {
	if i, ok := takes.Underlying().(*types.Interface); ok {
		return types.Implements(a, i) || i.NumMethods() == 1 && i.Method(0).Name() == "Frame" && hasFrame(a)
	}
	integer := func(t types.Type) bool {
		b, ok := t.(*types.Basic)
		return ok && b.Info()&types.IsInteger != 0
	}
	return a.String() == takes.String() || pointed(a).String() == takes.String() || types.AssignableTo(a, takes) || integer(a) && integer(takes)
}

func hasFrame(a types.Type) bool {
	found, _, _ := types.LookupFieldOrMethod(a, true, nil, "Frame")
	_, ok := found.(*types.Func)
	return ok
}

// pointed returns the type that a pointer points to.
func pointed(of types.Type) types.Type {
	if p, ok := of.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return of
}

// common returns the type shared by all arguments, nil if they differ.
func common(args []types.Type) types.Type {
	for _, a := range args {
		if a == nil || args[0] == nil || a.String() != args[0].String() {
			return nil
		}
	}
	return args[0]
}

// element returns the element type of a map or list, a number of levels deep.
func element(of types.Type, levels int) types.Type {
	for ; levels > 0 && of != nil; levels-- {
		switch x := pointed(of).Underlying().(type) {
		case *types.Map:
			of = x.Elem()
		case *types.Slice:
			of = x.Elem()
		default:
			return nil
		}
	}
	return of
}
