package taskmill;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * After a module's tests did not compile together: compiles those that do, so that only the
 * others are build errors. Files with errors are left out and the rest is compiled again, until
 * no error is left; what fails only then fails for want of what was left out.
 */
final class Partial {
    private static final int ROUNDS = 12;

    static void run(Path testbed, Module m) throws Exception {
        Path file = Module.diagnostics(testbed, m.name());
        Files.deleteIfExists(file);
        try (Out out = new Out(file.toString(), false)) {
            if (!m.get("kotlin.main.plugins").isEmpty() || !m.get("kotlin.test.plugins").isEmpty()) {
                // Compiler plugins change what compiles: only the build itself can tell.
                out.event("nothing");
            } else if (m.mainFailed()) {
                production(testbed, m, out);
            } else if (m.testFailed()) {
                tests(testbed, m, out);
            }
        }
    }

    private static void production(Path testbed, Module m, Out out) throws Exception {
        List<String> cp = m.list("main.classpath");
        List<String> roots = m.list("main.roots");
        if (m.failed("kotlin.main")) {
            Path scrap = Files.createTempDirectory("classes");
            List<Path> files = new ArrayList<>(Module.sources(kotlinRoots(m, "kotlin.main", roots), ".kt"));
            files.addAll(Module.sources(roots, ".java"));
            tell(testbed, "production", Kotlinc.compile(m, "kotlin.main", files, without(cp, m.get("main.output")), new ArrayList<>(), scrap), out);
            Module.delete(scrap);
            return;
        }
        boolean mixed = !m.get("kotlin.main").isEmpty();
        tell(testbed, "production", Javac.compile(m.chosen(Module.sources(roots, ".java"), roots, "java.main"), Javac.options(m, "java.main"), mixed ? cp : without(cp, m.get("main.output")), null), out);
    }

    private static List<String> without(List<String> cp, String output) {
        List<String> out = new ArrayList<>(cp);
        out.remove(output);
        return out;
    }

    private static List<String> kotlinRoots(Module m, String key, List<String> roots) {
        Set<String> out = new LinkedHashSet<>(roots);
        for (String r : m.list(key + ".roots")) {
            out.add(Paths.get(m.get("basedir")).resolve(r).toString());
        }
        return new ArrayList<>(out);
    }

    private static void tests(Path testbed, Module m, Out out) throws Exception {
        Path output = Paths.get(m.get("test.output"));
        for (Path p : Module.sources(List.of(output.toString()), ".class")) {
            Files.delete(p);
        }
        List<String> cp = m.list("test.classpath");
        List<String> roots = m.list("test.roots");
        List<Path> java = m.chosen(Module.sources(roots, ".java"), roots, "java.test");
        List<Path> kotlin = m.get("kotlin.test").isEmpty() ? new ArrayList<>() : Module.sources(kotlinRoots(m, "kotlin.test", roots), ".kt");
        List<String> options = Javac.options(m, "java.test");
        List<String> own = new ArrayList<>(cp);
        if (!own.contains(output.toString())) {
            own.add(0, output.toString());
        }
        for (int round = 0; round < ROUNDS; round++) {
            List<Javac.Fault> faults = new ArrayList<>();
            if (!kotlin.isEmpty()) {
                List<Path> both = new ArrayList<>(kotlin);
                both.addAll(java);
                Files.createDirectories(output);
                faults = Kotlinc.compile(m, "kotlin.test", both, cp, List.of(m.get("main.output")), output);
            }
            boolean fromKotlin = !faults.isEmpty();
            if (!fromKotlin && !java.isEmpty()) {
                faults = Javac.compile(java, options, own, output);
            }
            if (faults.isEmpty()) {
                return;
            }
            Set<Path> bad = new LinkedHashSet<>();
            for (Javac.Fault f : faults) {
                f.followUp = round > 0;
                if (f.path != null) {
                    bad.add(f.path);
                }
            }
            tell(testbed, "test", faults, out);
            int before = java.size() + kotlin.size();
            java.removeIf(bad::contains);
            kotlin.removeIf(bad::contains);
            if (java.size() + kotlin.size() == before) {
                break;
            }
        }
        // Errors without a place, or no end of them: nothing is run.
        for (Path p : Module.sources(List.of(output.toString()), ".class")) {
            Files.delete(p);
        }
        out.event("nothing");
    }

    private static void tell(Path testbed, String stage, List<Javac.Fault> faults, Out out) {
        for (Javac.Fault f : faults) {
            String path = f.path == null ? "" : f.path.startsWith(testbed) ? testbed.relativize(f.path).toString() : f.path.toString();
            out.event("diagnostic", "stage", stage, "path", path, "line", f.line, "message", f.message, "names", f.names, "follow_up", f.followUp);
        }
    }
}
