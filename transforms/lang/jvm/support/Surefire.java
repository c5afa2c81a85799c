package taskmill;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs classes by Maven's surefire and hands its XML reports on: for modules whose configuration
 * of it our launchers do not follow (suites, groups of JUnit 4 and TestNG, another virtual
 * machine, class paths with exclusions).
 */
final class Surefire {
    private static final Pattern COUNT = Pattern.compile("<testsuite\\b[^>]*>");
    private static final Pattern ATTRIBUTE = Pattern.compile("\\b(tests|failures|errors)=\"(\\d+)\"");

    static boolean needed(Module m, String runner) {
        boolean groups = !m.get("surefire.groups").isEmpty() || !m.get("surefire.excludedGroups").isEmpty();
        return !m.get("surefire.unknown").isEmpty() || groups && !runner.equals("platform");
    }

    private static Path reports(Module m) {
        String dir = m.get("surefire.reportsDirectory");
        return dir.isEmpty() ? Paths.get(m.get("basedir"), "target", "surefire-reports") : Paths.get(dir);
    }

    static int run(Path testbed, Module m, List<String> classes, List<String> only, List<String> skip, Out out) throws Exception {
        Path dir = reports(m);
        Module.delete(dir); // what an earlier run left is no report of this one
        int exit = maven(testbed, m, selection(classes, only, skip));
        int found = 0;
        int failed = 0;
        for (Path p : files(dir)) {
            String text = strip(new String(Files.readAllBytes(p), StandardCharsets.UTF_8));
            Matcher suite = COUNT.matcher(text);
            if (suite.find()) {
                Matcher a = ATTRIBUTE.matcher(suite.group());
                while (a.find()) {
                    if (a.group(1).equals("tests")) {
                        found += Integer.parseInt(a.group(2));
                    } else {
                        failed += Integer.parseInt(a.group(2));
                    }
                }
            }
            out.event("document", "document", text);
        }
        if (exit != 0 && failed == 0 && found > 0 || exit != 0 && found == 0 && Files.isDirectory(dir)) {
            // The process of the tests died: surefire has no report of the class that ran.
            return exit;
        }
        int end = failed > 0 ? 1 : found == 0 ? 2 : 0;
        out.event("finish", "exit", end, "found", found, "failed", failed);
        return end;
    }

    private static List<Path> files(Path dir) throws IOException {
        if (!Files.isDirectory(dir)) {
            return new ArrayList<>();
        }
        try (Stream<Path> all = Files.list(dir)) {
            return all.filter(p -> p.getFileName().toString().matches("TEST-.*\\.xml")).sorted().collect(Collectors.toList());
        }
    }

    /** Drops what the tests printed and the properties of the machine. */
    private static String strip(String xml) {
        return xml.replaceAll("(?s)<(system-out|system-err|properties)>.*?</\\1>", "");
    }

    private static String selection(List<String> classes, List<String> only, List<String> skip) {
        List<String> parts = new ArrayList<>();
        String unit = classes.get(0);
        if (only.isEmpty()) {
            parts.add(unit);
            parts.add(unit + "$*");
        } else {
            Map<String, List<String>> methods = new LinkedHashMap<>();
            for (String f : only) {
                int cut = f.indexOf('#');
                methods.computeIfAbsent(f.substring(0, cut), k -> new ArrayList<>()).add(f.substring(cut + 1));
            }
            methods.forEach((type, names) -> parts.add(type + "#" + names.stream().map(n -> n + "*").collect(Collectors.joining("+"))));
        }
        for (String f : skip) {
            parts.add("!" + f + "*");
        }
        parts.addAll(classes.subList(1, classes.size()));
        return String.join(",", parts);
    }

    /** Runs the module's test phase, which finds what is compiled up to date. */
    private static int maven(Path testbed, Module m, String selection) throws Exception {
        List<String> command = new ArrayList<>(Files.readAllLines(testbed.resolve(".taskmill/command")));
        command.remove("-fn");
        command.set(command.size() - 1, "test");
        command.add("-pl");
        command.add(":" + m.name());
        command.add("-am");
        command.add("-Dtest=" + selection);
        command.add("-Dsurefire.failIfNoSpecifiedTests=false");
        command.add("-DfailIfNoTests=false");
        command.add("-DskipTests=false");
        command.add("-Dsurefire.useFile=false");
        return new ProcessBuilder(command).directory(testbed.toFile()).inheritIO().start().waitFor();
    }

    /** Runs one planted test, so that all that surefire brings for it is here. */
    static void warm(Path testbed, Module m, String runner) throws Exception {
        List<String> roots = m.list("test.roots");
        if (roots.isEmpty()) {
            return;
        }
        String mark = runner.equals("testng") ? "org.testng.annotations.Test" : runner.equals("junit4") ? "org.junit.Test" : "org.junit.jupiter.api.Test";
        Path file = Paths.get(roots.get(0)).resolve("WarmTest.java");
        Files.createDirectories(file.getParent());
        Files.write(file, ("public class WarmTest {\n@" + mark + "\npublic void warm() {\n}\n}\n").getBytes(StandardCharsets.UTF_8));
        int exit = maven(testbed, m, "WarmTest");
        Files.delete(file);
        if (exit != 0) {
            System.exit(exit);
        }
    }
}
