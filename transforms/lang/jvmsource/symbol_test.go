package jvmsource

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

const javaText = `package a.b;

import java.util.List;

/** Parses. */
@Deprecated
public abstract class Parser<T extends Comparable<T>> implements Runnable, AutoCloseable {
    /** How many. */
    public static final int LIMIT = 3;
    private String name = "x", other[];

    public Parser() { this(1); }

    protected Parser(int n /* of words */) { }

    /**
     * Parses all.
     *
     * @return a list
     */
    @Override
    public <R> List<R> parse(
            final String text, // the text
            int... more) throws Exception {
        return null;
    }

    public List<T> parse() { return null; }

    abstract void hidden();

    public enum Mode implements Runnable { FAST, SLOW(1) { void f() { } }; public void run() { } }

    public record Point(int x, int y) { public Point { } }

    interface Inner { int SIZE = 1; void call(); private void no() { } }

    public @interface Marker { String value() default ""; }
}
`

const kotlinText = `package a.b

/** Top. */
fun parse(text: String, strict: Boolean = false, vararg more: Int): List<String> = emptyList()

fun String.parse(): Int { return 1 }

val LIMIT = 3
const val NAME: String = "x"
internal var hidden: Int = 1
    private set

typealias Words = List<String>

/**
 * A box.
 */
data class Box<T>(val value: T, private val secret: Int = 1, plain: String) : Base(plain), Runnable {
    constructor(value: T) : this(value, 1, "")

    override fun run() {}

    val size: Int
        get() = 1

    companion object {
        fun of(n: Int) = Box(n)
        const val MAX = 3
    }

    enum class Mode { FAST, SLOW }

    sealed interface Kind
}

object Registry {
    fun find() = 1
}
`

func TestSymbols(t *testing.T) {
	for _, c := range []struct {
		path, src string
		want      []string
	}{
		{"src/main/java/a/b/Parser.java", javaText, []string{
			"class Parser true 5-39 public abstract class Parser<T extends Comparable<T>> implements Runnable, AutoCloseable | Parses.",
			"constant Parser.LIMIT true 8-9 public static final int LIMIT | How many.",
			"field Parser.name false 10-10 private String name | ", "field Parser.other false 10-10 private String other[] | ",
			"constructor Parser.Parser true 12-12 public Parser(); protected Parser(int n) | ",
			"method Parser.parse true 16-26 public <R> List<R> parse(final String text, int... more) throws Exception; public List<T> parse() | Parses all.//@return a list",
			"method Parser.hidden false 30-30 abstract void hidden() | ",
			"enum Parser.Mode true 32-32 public enum Mode implements Runnable | ",
			"constant Parser.Mode.FAST true 32-32 Parser.Mode FAST | ", "constant Parser.Mode.SLOW true 32-32 Parser.Mode SLOW(1) { void f() { } } | ",
			"method Parser.Mode.run true 32-32 public void run() | ",
			"record Parser.Point true 34-34 public record Point | ", "constructor Parser.Point.Point true 34-34 Point(int x, int y); public Point | ",
			"method Parser.Point.x true 34-34 int x | ", "method Parser.Point.y true 34-34 int y | ",
			"interface Parser.Inner false 36-36 interface Inner | ", "constant Parser.Inner.SIZE false 36-36 int SIZE | ",
			"method Parser.Inner.call false 36-36 void call() | ", "method Parser.Inner.no false 36-36 private void no() | ",
			"annotation Parser.Marker true 38-38 public @interface Marker | ", "method Parser.Marker.value true 38-38 String value() default \"\" | ",
		}},
		{"src/main/kotlin/a/b/words.kt", kotlinText, []string{
			"function parse true 3-4 fun parse(text: String, strict: Boolean = false, vararg more: Int): List<String>; fun String.parse(): Int | Top.",
			"parameter parse.text true 4-4 text: String | ", "parameter parse.strict true 4-4 strict: Boolean = false | ", "parameter parse.more true 4-4 more: Int | ",
			"property LIMIT true 8-8 val LIMIT | ", "constant NAME true 9-9 const val NAME: String | ",
			"property hidden false 10-11 internal var hidden: Int | ", "type Words true 13-13 typealias Words = List<String> | ",
			"class Box true 15-34 data class Box<T> : Base(plain), Runnable | A box.",
			"constructor Box.Box true 18-18 Box(val value: T, private val secret: Int = 1, plain: String); constructor(value: T) | ",
			"property Box.value true 18-18 val value: T | ", "property Box.secret false 18-18 private val secret: Int = 1 | ",
			"method Box.run true 21-21 override fun run() | ", "property Box.size true 23-24 val size: Int | ",
			"method Box.of true 27-27 fun of(n: Int) | ", "parameter Box.of.n true 27-27 n: Int | ", "constant Box.MAX true 28-28 const val MAX | ",
			"enum Box.Mode true 31-31 enum class Mode | ", "constant Box.Mode.FAST true 31-31 Box.Mode FAST | ", "constant Box.Mode.SLOW true 31-31 Box.Mode SLOW | ",
			"interface Box.Kind true 33-33 sealed interface Kind | ",
			"object Registry true 36-38 object Registry | ", "method Registry.find true 37-37 fun find() | ",
		}},
	} {
		got, err := Symbols(files(c.path, c.src), c.path)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, s := range got {
			lines = append(lines, fmt.Sprintf("%s %s %v %d-%d %s | %s", s.Kind, s.Name, s.Exported, s.Start, s.End, s.Signature, strings.ReplaceAll(s.Doc, "\n", "/")))
		}
		if d := cmp.Diff(c.want, lines); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.path, d)
		}
	}
}

func TestNames(t *testing.T) {
	lib := []string{
		"src/main/java/a/b/Parser.java", javaText,
		"src/main/kotlin/a/b/words.kt", kotlinText,
	}
	in := files(lib...)
	var syms []model.Symbol
	for _, p := range in.Paths() {
		s, err := Symbols(in, p)
		if err != nil {
			t.Fatal(err)
		}
		syms = append(syms, s...)
	}
	for _, c := range []struct{ path, src, want string }{
		{"A.java", "import a.b.Parser; class A { Parser p; }", "Parser Parser.Parser"},
		{"A.java", "import a.b.*; class A { Parser p; Box b; }", "Box Box.Box Parser Parser.Parser"},
		{"A.java", "package a.b; class A { Parser p; }", "Parser Parser.Parser"},
		{"A.java", "package c; class A { Parser p; Box b = LIMIT; }", ""},
		{"A.java", "package c; class A { a.b.Parser p; }", "Parser"},
		{"A.java", "package a.b; import x.Parser; class A { Parser p; }", ""},
		{"A.java", "import static a.b.Parser.LIMIT; class A { int x = LIMIT; }", "Parser Parser.LIMIT"},
		{"A.java", "package c; class A { void f(Q q) { q.hidden(); q.size(); } }", "Box.size Parser.hidden"},
		{"A.java", "package c; class A { void f() { Q.hidden(); } }", ""},
		{"A.java", "import a.b.Parser; class A { int x = Parser.LIMIT; }", "Parser Parser.LIMIT Parser.Parser"},
		{"A.java", "import a.b.Parser; class A { Object x = Parser.Mode.FAST; }", "Parser Parser.Mode Parser.Mode.FAST Parser.Parser"},
		{"A.java", "import a.b.Parser; class A extends Parser { void f() { parse(); } }", "Parser Parser.Parser Parser.parse"},
		{"A.kt", "import a.b.parse\nval x = parse(\"\", strict = true)\n", "parse parse.strict"},
		{"A.kt", "import a.b.parse as p\nval x = p(\"\")\n", "parse"},
		{"A.kt", "package a.b\nval x = \"\".parse()\n", "Parser.parse parse"},
		{"A.kt", "package c\nval x = parse()\n", ""},
		{"A.kt", "import a.b.Box\nval x = Box.of(n = 1).size\n", "Box Box.Box Box.of Box.of.n Box.size"},
		{"A.kt", "import a.b.Registry.find\nval x = find()\n", "Registry Registry.find"},
	} {
		got, err := Names(files(append([]string{"src/test/java/" + c.path, c.src}, lib...)...), "src/test/java/"+c.path, syms)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range got {
			names = append(names, s.Name)
		}
		slices.Sort(names)
		if got := strings.Join(slices.Compact(names), " "); got != c.want {
			t.Errorf("%q names %q, want %q", c.src, got, c.want)
		}
	}
}

func TestSyntax(t *testing.T) {
	for _, c := range []struct {
		path, src string
		line      int
	}{
		{"A.java", "record A<T>(int x) { sealed interface B permits C { } String s = \"\"\"\n  text \"quoted\"\n  \"\"\"; int f(Object o) { return switch (o) { case A<?>(var x) when x > 1 -> x; default -> 0; }; } }", 0},
		{"A.java", "class A {\n  void f( {\n}\n", 2},
		{"A.java", "class A {\n  void f() {\n", 2},
		{"A.kt", "class A { fun f() {} }\nclass B { val x = \"}\" ; val c = '}' }\n", 0},
		{"A.kt", "class A {\n    fun f() {} // }\n\n    /* x */ fun g() {}\n}\n", 0},
		{"A.kt", "fun f() {\n    val x = (\n}\n", 2},
		{"A.kts", "plugins { id(\"x\") }\n", 0},
		{"A.txt", "(", 0},
	} {
		err := Syntax(c.path, []byte(c.src))
		if (err != nil) != (c.line > 0) || err != nil && !strings.HasSuffix(err.Error(), fmt.Sprintf("at line %d", c.line)) {
			t.Errorf("%q: %v, want line %d", c.src, err, c.line)
		}
	}
	if err := Syntax("A.java", []byte(strings.Repeat("(", 100_000))); err == nil {
		t.Error("100,000 open brackets are no error")
	}
}

// Lines of a file that the grammar reads only in another form are its own.
func TestRelaxedLines(t *testing.T) {
	got, err := Surfaces(files("src/test/kotlin/ATest.kt", "class A { val x = 1 }\nclass ATest {\n    @Test fun a() { b() }\n\n    /* c */ @Test fun b() { }\n}\n"), "src/test/kotlin/ATest.kt")
	if err != nil || len(got) != 2 || got[0].Start != 3 || got[0].End != 3 || got[1].Start != 5 || got[1].End != 5 {
		t.Errorf("%+v, %v", got, err)
	}
}
