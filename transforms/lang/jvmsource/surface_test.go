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
		"core/src/test/java/a/FourTest.java":   {"a.FourTest a.FourTest#parsesAll 15-18 parses all", "a.FourTest a.FourTest#skipped 20-20 skipped", "a.FourTest a.FourTest#inherited 8-8 inherited"},
		"core/src/test/java/a/Base.java":       nil,
		"core/src/test/java/a/ThreeTest.java":  {"a.ThreeTest a.ThreeTest#testOne 4-4 one", "a.ThreeTest a.ThreeTest#testDeep 9-9 deep", "a.Deep a.Deep#testDeep 9-9 deep"},
		"core/src/test/java/a/FiveTest.java":   {"a.FiveTest a.FiveTest#adds 7-7 adds two numbers", "a.FiveTest a.FiveTest#again 8-8 again", "a.FiveTest a.FiveTest#made 9-9 made", "a.FiveTest a.FiveTest#template 10-10 template", "a.FiveTest a.FiveTest#with 11-12 with", "a.FiveTest a.FiveTest#meta 13-13 meta", "a.FiveTest a.FiveTest$Inner#deep 16-16 deep", "a.FiveTest a.FiveTest$Inner$More#deeper 17-17 deeper", "a.FiveTest a.FiveTest$Kept#kept 20-20 kept"},
		"core/src/test/java/a/NgTest.java":     {"a.NgTest a.NgTest#all 4-4 all", "a.NgTest a.NgTest#each 9-9 each"},
		"core/src/test/kotlin/a/KotlinTest.kt": {"a.KotlinTest a.KotlinTest#parses (all) words 9-14 parses (all) words", "a.KotlinTest a.KotlinTest#expression 16-16 expression", "a.KotlinTest a.KotlinTest$Inner#deep 22-22 deep", "a.SharedTest a.SharedTest#shared 27-27 shared"},
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
		{"text() = \"x\"", "text() = \"y\"", "a.KotlinTest#parses (all) words"},
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
		"a.FourTest#parsesAll":            {"Checks.verify", "Parser", "Parser.parse", "Parser.reset", "tree"},
		"a.KotlinTest#parses (all) words": {"Parser", "Parser.parse", "parseAll", "Parser.strict"},
		"a.FourTest#skipped":              {"List.size"},
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
