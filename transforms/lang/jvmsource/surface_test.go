package jvmsource

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

var surfaceFiles = []string{
	"core/pom.xml", "<project><parent><artifactId>all</artifactId></parent><artifactId>core</artifactId></project>",
	"core/src/test/java/a/FourTest.java", `package a;

import static a.lib.Checks.verify;
import a.lib.Parser;
import java.util.List;
import org.junit.*;

public class FourTest extends Base {
    static final int SIZE = 3;
    private final Parser parser = new Parser(SIZE);
    @Rule public Timeout rule = new Timeout(1);

    @Before public void before() { parser.reset(); }

    @Test(expected = IllegalStateException.class)
    public void parsesAll() {
        verify(parser.parse(input()).tree());
    }

    @Ignore @Test public void skipped() { List<String> l = null; l.size(); }

    private String input() { return "x"; }

    @Override public void overridden() { }

    public void testNothing() { }
}
`,
	"core/src/test/java/a/Base.java", `package a;

public abstract class Base {
    @org.junit.Test public void inherited() { own(); }
    @org.junit.Test public void overridden() { }
    void own() { }
}
`,
	"core/src/test/java/a/ThreeTest.java", `package a;
import junit.framework.TestCase;
public class ThreeTest extends Deep {
    public void testOne() { }
    public void testWith(int x) { }
    void testHidden() { }
    public int testValue() { return 1; }
}
class Deep extends TestCase { public void testDeep() { } }
`,
	"core/src/test/java/a/FiveTest.java", `package a;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.*;
@interface Fast { }
@Test @interface FastTest { }
class FiveTest {
    @DisplayName("adds two numbers") @Test void adds() { }
    @RepeatedTest(3) void again() { }
    @TestFactory Object made() { return null; }
    @TestTemplate void template() { }
    @ParameterizedTest @CsvSource("1") void with(int x) { }
    @Test void with() { }
    @FastTest void meta() { }
    @Fast void plain() { }
    @Nested class Inner {
        @Test void deep() { }
        @Nested class More { @Test void deeper() { } }
    }
    static abstract class Abstract { @Test void never() { } }
    interface Contract { @Test default void kept() { } }
    @Nested class Kept implements Contract { }
}
`,
	"core/src/test/java/a/NgTest.java", `package a;
import org.testng.annotations.*;
@Test public class NgTest {
    public void all() { }
    void none() { }
    public int value() { return 1; }
    @DataProvider public Object[][] rows() { return null; }
    @BeforeMethod public void before() { }
    @Test(dataProvider = "rows") public void each(int x) { }
}
`,
	"core/src/test/kotlin/a/KotlinTest.kt", `package a

import a.lib.Parser as P
import a.lib.parseAll
import org.junit.jupiter.api.Nested
import kotlin.test.Test

class KotlinTest {
    @Test
    fun ` + "`parses (all) words`" + `() {
        val p = P(strict = true)
        p.parse("x")
        parseAll(text())
    }

    @Test fun expression() = check(1 == 1)

    private fun text() = "x"

    @Nested
    inner class Inner {
        @Test fun deep() {}
    }
}

abstract class Shared {
    @Test fun shared() {}
}

class SharedTest : Shared()
`,
}

func TestSurfaces(t *testing.T) {
	for p, want := range map[string][]string{
		"core/src/test/java/a/FourTest.java":   {"core:a.FourTest a.FourTest#parsesAll 15-18 parses all", "core:a.FourTest a.FourTest#skipped 20-20 skipped", "core:a.FourTest a.FourTest#inherited 8-8 inherited"},
		"core/src/test/java/a/Base.java":       nil,
		"core/src/test/java/a/ThreeTest.java":  {"core:a.ThreeTest a.ThreeTest#testOne 4-4 one", "core:a.ThreeTest a.ThreeTest#testDeep 9-9 deep", "core:a.Deep a.Deep#testDeep 9-9 deep"},
		"core/src/test/java/a/FiveTest.java":   {"core:a.FiveTest a.FiveTest#adds 7-7 adds two numbers", "core:a.FiveTest a.FiveTest#again 8-8 again", "core:a.FiveTest a.FiveTest#made 9-9 made", "core:a.FiveTest a.FiveTest#template 10-10 template", "core:a.FiveTest a.FiveTest#with 11-12 with", "core:a.FiveTest a.FiveTest#meta 13-13 meta", "core:a.FiveTest a.FiveTest$Inner#deep 16-16 deep", "core:a.FiveTest a.FiveTest$Inner$More#deeper 17-17 deeper", "core:a.FiveTest a.FiveTest$Kept#kept 20-20 kept"},
		"core/src/test/java/a/NgTest.java":     {"core:a.NgTest a.NgTest#all 4-4 all", "core:a.NgTest a.NgTest#each 9-9 each"},
		"core/src/test/kotlin/a/KotlinTest.kt": {"core:a.KotlinTest a.KotlinTest#parses 9-14 parses (all) words", "core:a.KotlinTest a.KotlinTest#expression 16-16 expression", "core:a.KotlinTest a.KotlinTest$Inner#deep 22-22 deep", "core:a.SharedTest a.SharedTest#shared 27-27 shared"},
	} {
		got, err := Surfaces(files(surfaceFiles...), p)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, s := range got {
			lines = append(lines, fmt.Sprintf("%s %s %d-%d %s", s.Unit, s.Function, s.Start, s.End, s.Title))
		}
		if d := cmp.Diff(want, lines); d != "" {
			t.Errorf("%s (-want +got):\n%s", p, d)
		}
	}
}

func TestClasses(t *testing.T) {
	for p, want := range map[string]string{
		"core/src/test/java/a/ThreeTest.java":  "a.ThreeTest a.Deep",
		"core/src/test/java/a/Base.java":       "",
		"core/src/test/java/a/FiveTest.java":   "a.FiveTest",
		"core/src/test/kotlin/a/KotlinTest.kt": "a.KotlinTest a.SharedTest",
	} {
		got, err := Classes(files(surfaceFiles...), p)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v", p, got, err)
		}
	}
}

// What decides a test is part of its digest, and nothing else is.
func TestSurfaceDigest(t *testing.T) {
	surfaces := func(edit ...string) map[string]model.Surface {
		pairs := slices.Clone(surfaceFiles)
		for i := range pairs {
			if len(edit) == 2 && i%2 == 1 {
				pairs[i] = strings.Replace(pairs[i], edit[0], edit[1], 1)
			}
		}
		out := map[string]model.Surface{}
		for _, p := range []string{"core/src/test/java/a/FourTest.java", "core/src/test/kotlin/a/KotlinTest.kt"} {
			got, err := Surfaces(files(pairs...), p)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range got {
				out[s.Function] = s
			}
		}
		return out
	}
	old := surfaces()
	all := "a.FourTest#inherited a.FourTest#parsesAll a.FourTest#skipped"
	for _, c := range []struct{ from, to, touched string }{
		{`return "x"`, `return "y"`, "a.FourTest#parsesAll"},
		{"SIZE = 3", "SIZE = 4", all},
		{"new Timeout(1)", "new Timeout(2)", all},
		{"parser.reset();", "", all},
		{"void own() { }", "void own() { int x; }", "a.FourTest#inherited"},
		{"import org.junit.*;", "import org.junit.*;\n// moved\n", ""},
		{"text() = \"x\"", "text() = \"y\"", "a.KotlinTest#parses"},
		{"fun shared() {}", "fun shared() { check(true) }", "a.SharedTest#shared"},
		{"l.size();", "l.clear();", "a.FourTest#skipped"},
	} {
		var touched []string
		for n, s := range surfaces(c.from, c.to) {
			if s.Digest != old[n].Digest {
				touched = append(touched, n)
			}
		}
		slices.Sort(touched)
		if got := strings.Join(touched, " "); got != c.touched {
			t.Errorf("%q to %q touches %q, want %q", c.from, c.to, got, c.touched)
		}
	}
	for f, uses := range map[string][]string{
		"a.FourTest#parsesAll": {"Checks.verify", "Parser", "Parser.parse", "Parser.reset", "tree"},
		"a.KotlinTest#parses":  {"Parser", "Parser.parse", "parseAll", "Parser.strict"},
		"a.FourTest#skipped":   {"List.size"},
	} {
		for _, u := range uses {
			if !slices.Contains(old[f].Uses, u) {
				t.Errorf("%s uses %v, not %s", f, old[f].Uses, u)
			}
		}
	}
	if u := old["a.FourTest#parsesAll"].Uses; slices.Contains(u, "input") || slices.Contains(u, "SIZE") || slices.Contains(u, "List") {
		t.Errorf("names of the file itself are used: %v", u)
	}
}

func TestFunction(t *testing.T) {
	for id, want := range map[string][2]string{
		"core:a.FourTest#parsesAll":                   {"core:a.FourTest", "a.FourTest#parsesAll"},
		"core:a.B$Inner$More#m(CommandLineParser)[1]": {"core:a.B", "a.B$Inner$More#m"},
		"core:B#m{int}[2]":                            {"core:B", "B#m"},
		"core:B#m[a:b#c]":                             {"core:B", "B#m"},
		"core:B#does two things()":                    {"core:B", "B#does two things"},
		"core:a.KotlinTest#parses (all) words()":      {"core:a.KotlinTest", "a.KotlinTest#parses"},
		"core:a.B":                                    {"core:a.B", ""},
		"odd":                                         {"odd", ""},
	} {
		if u, f := Function(id); u != want[0] || f != want[1] {
			t.Errorf("%s is %q of %q", id, f, u)
		}
	}
}

func TestModule(t *testing.T) {
	in := files("pom.xml", "<project><parent><artifactId>up</artifactId></parent><artifactId> all </artifactId></project>", "core/pom.xml", "<project><artifactId>the-core</artifactId></project>",
		"broken/pom.xml", "<project", "g/lib/build.gradle.kts", "")
	for p, want := range map[string]string{"core/src/test/java/A.java": "the-core", "src/test/java/A.java": "all", "broken/src/A.java": "all", "g/lib/src/test/kotlin/A.kt": "lib"} {
		if got := Module(in, p); got != want {
			t.Errorf("%s is of %q, want %q", p, got, want)
		}
	}
	if got := Module(files("settings.gradle", "rootProject.name = 'tool'\n", "build.gradle", ""), "src/test/java/A.java"); got != "tool" {
		t.Errorf("root project %q", got)
	}
}
