package jvmsource

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

func TestKind(t *testing.T) {
	const (
		production, check, data = model.Production, model.CheckFile, model.CheckData
		docs, configuration     = model.Docs, model.Configuration
		generated, vendored     = model.Generated, model.Vendored
		other                   = model.Other
	)
	for _, tt := range []struct {
		path         string
		java, kotlin model.Kind
	}{
		{"src/main/java/a/B.java", production, other},
		{"src/main/kotlin/a/B.kt", other, production},
		{"src/main/kotlin/a/B.java", production, other},
		{"src/main/java/module-info.java", production, other},
		{"src/main/java/a/Latest.java", production, other},
		{"src/main/java/a/FooTest.java", production, other},
		{"src/main/java/a/test/Util.java", production, other},
		{"src/main/java/contest/A.java", production, other},
		{"src/main/kotlin/Attestation.kt", other, production},
		{"src/main/java/a/build/B.java", production, other},
		{"src/main/java/a/target/B.java", production, other},
		{"src/main/java/a/docs/B.java", production, other},
		{"src/main/java/a/samples/B.java", production, other},
		{"src/main/java11/a/B.java", production, other},
		{"core/src/main/java/a/B.java", production, other},
		{"src/jvmMain/kotlin/a/B.kt", other, production},
		{"src/commonMain/kotlin/a/B.kt", other, production},
		{"src/debug/java/a/B.java", production, other},
		{"src/main/resources/META-INF/services/a.B", production, production},
		{"src/main/resources/messages.properties", production, production},
		{"src/main/resources/logo.png", other, other},
		{"src/com/x/A.java", production, other},
		{"java/com/x/A.java", production, other},
		{"A.java", production, other},
		{"Latest.java", production, other},
		{"Testimony.java", production, other},
		{"AUDIT.java", production, other},
		{"contest/A.java", production, other},
		{"src/com/x/test/A.java", production, other},
		{"lib/A.kt", other, production},

		{"src/test/java/a/BTest.java", check, check},
		{"src/test/java/a/Helper.java", check, check},
		{"src/test/kotlin/a/BTest.kt", check, check},
		{"src/test/kotlin/a/Dto.java", check, check},
		{"src/test/java/module-info.java", check, check},
		{"src/integrationTest/java/a/B.java", check, check},
		{"src/testFixtures/java/a/B.java", check, check},
		{"src/testFixtures/kotlin/a/B.kt", check, check},
		{"src/commonTest/kotlin/a/B.kt", check, check},
		{"src/jvmTest/kotlin/B.kt", check, check},
		{"src/androidTest/java/a/B.java", check, check},
		{"src/androidUnitTest/kotlin/a/B.kt", check, check},
		{"src/test-integration/java/a/B.java", check, check},
		{"src/it/java/a/BIT.java", check, check},
		{"core/src/test/java/a/target/B.java", check, check},
		{"test/com/x/A.java", check, check},
		{"tests/src/com/x/A.java", check, check},
		{"javatests/com/x/A.java", check, check},
		{"src/com/x/ATest.java", check, check},
		{"src/com/x/TestA.java", check, check},
		{"com/x/ATests.kt", check, check},
		{"com/x/ATestCase.java", check, check},
		{"com/x/StoreIT.java", check, check},
		{"examples/src/test/java/ATest.java", check, check},

		{"src/test/resources/a/in.csv", data, data},
		{"src/test/resources/Broken.java", data, data},
		{"src/test/resources/pom.xml", data, data},
		{"src/test/resources/README.md", data, data},
		{"src/test/java/a/golden.txt", data, data},
		{"src/test/groovy/a/BSpec.groovy", data, data},
		{"src/test/java/a/BTest.works.approved.txt", data, data},
		{"src/it/simple/pom.xml", data, data},
		{"src/it/simple/src/main/java/A.java", data, data},
		{"src/test/kotlin/a/BTest.ss", data, data},
		{"compiler/testData/a.kt", data, data},
		{"test/data/in.json", data, data},

		{"README.md", docs, docs},
		{"RELEASE-NOTES.txt", docs, docs},
		{"release-notes/VERSION-2.x", docs, docs},
		{"src/changes/changes.xml", docs, docs},
		{"src/site/xdoc/index.xml", docs, docs},
		{"docs/guide.md", docs, docs},
		{"examples/src/main/java/A.java", docs, docs},
		{"samples/app/src/main/kotlin/A.kt", docs, docs},
		{"src/jmh/java/a/Bench.java", docs, docs},
		{"a-benchmarks/src/main/java/A.java", docs, docs},
		{"src/main/java/a/package.html", docs, docs},
		{"src/main/java/a/doc-files/x.svg", docs, docs},

		{"pom.xml", configuration, configuration},
		{"core/pom.xml", configuration, configuration},
		{"build.gradle.kts", configuration, configuration},
		{"core/core.gradle", configuration, configuration},
		{"settings.gradle", configuration, configuration},
		{"gradle/libs.versions.toml", configuration, configuration},
		{"gradle/wrapper/gradle-wrapper.properties", configuration, configuration},
		{"mvnw", configuration, configuration},
		{".mvn/maven.config", configuration, configuration},
		{"buildSrc/src/main/kotlin/Plugin.kt", configuration, configuration},
		{"src/conf/checkstyle.xml", configuration, configuration},
		{"src/assembly/bin.xml", configuration, configuration},
		{"checkstyle-suppressions.xml", configuration, configuration},

		{"target/generated-sources/a/B.java", generated, generated},
		{"target/classes/a/B.class", generated, generated},
		{"core/build/generated/B.kt", generated, generated},
		{"src/main/generated/a/B.java", generated, generated},
		{"src/generated/java/a/B.java", generated, generated},
		{"src/main/java/a/generated/B.java", generated, generated},
		{"third_party/a/B.java", vendored, vendored},
		{"vendor/src/test/java/BTest.java", vendored, vendored},
		{"main.go", other, other},
		{"", other, other},
		{"src/", other, other},
		{"src/main/", other, other},
	} {
		got := [2]model.Kind{Kind(tt.path, ".java"), Kind(tt.path, ".kt")}
		if d := cmp.Diff([2]model.Kind{tt.java, tt.kotlin}, got); d != "" {
			t.Errorf("%s: %s", tt.path, d)
		}
	}
}
