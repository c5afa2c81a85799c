package taskmill;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs one unit over a built state in a virtual machine of its own, set up as surefire would.
 * Options: --testbed, --env, --report, --unit module:Class, --only and --skip a function,
 * --with a source file, --seed a number.
 */
public final class Run {
    private Path testbed;
    private Path env;
    private String report;
    private String module = "";
    private String type = "";
    private String seed = "0";
    private final List<String> only = new ArrayList<>();
    private final List<String> skip = new ArrayList<>();
    private final List<String> with = new ArrayList<>();
    private Out out;

    public static void main(String[] args) throws Exception {
        Run r = new Run();
        for (int i = 0; i + 1 < args.length; i += 2) {
            r.option(args[i], args[i + 1]);
        }
        System.exit(r.run());
    }

    private void option(String name, String value) throws Exception {
        switch (name) {
            case "--testbed": testbed = Paths.get(value).toRealPath(); break;
            case "--env": env = Paths.get(value).toRealPath(); break;
            case "--report": report = value; break;
            case "--unit":
                int cut = value.indexOf(':');
                module = value.substring(0, Math.max(cut, 0));
                type = value.substring(cut + 1);
                break;
            case "--only": only.add(value); break;
            case "--skip": skip.add(value); break;
            case "--with": with.add(value); break;
            case "--seed": seed = value; break;
            default: throw new IllegalArgumentException(name);
        }
    }

    private int run() throws Exception {
        out = new Out(report, false);
        if (!Files.exists(testbed.resolve(Module.ENDED))) {
            return end("build", "the build did not end", 3);
        }
        Module m = Module.of(testbed, module);
        if (m == null) {
            return end("build", "no module " + module + " was built", 3);
        }
        if (!built(m)) {
            return 3;
        }
        List<String> cp = m.list("test.classpath");
        List<String> classes = new ArrayList<>();
        Path output = Paths.get(m.get("test.output"));
        if (!m.has(type)) {
            return end("", "", 2);
        }
        classes.add(type);
        for (String w : with) {
            classes.add(plant(m, cp, output, w));
        }
        String runner = Module.runner(cp);
        if (runner.isEmpty()) {
            return end("build", "no runner on the test class path of " + module, 3);
        }
        if (Surefire.needed(m, runner)) {
            return Surefire.run(testbed, m, classes, only, skip, out);
        }
        out.close();
        List<String> command = command(m, cp, runner);
        command.addAll(Arrays.asList(report, seed, lines(classes), lines(only), lines(skip), m.get("surefire.groups"), m.get("surefire.excludedGroups"), m.get("surefire.parameters")));
        ProcessBuilder b = new ProcessBuilder(command).inheritIO();
        String dir = m.get("surefire.workingDirectory");
        b.directory(new File(dir.isEmpty() ? m.get("basedir") : dir));
        Map<String, String> environ = b.environment();
        m.below("surefire.environmentVariables.").forEach(environ::put);
        return b.start().waitFor();
    }

    private static String lines(List<String> list) {
        return String.join("\n", list);
    }

    private int end(String stage, String message, int exit) throws Exception {
        if (!stage.isEmpty()) {
            out.event("build_error", "stage", stage, "message", message);
        }
        out.event("finish", "exit", exit, "found", 0, "failed", 0);
        return exit;
    }

    /** Whether the unit was compiled; if not, the report tells why. */
    private boolean built(Module m) throws Exception {
        List<String> lines = new ArrayList<>();
        boolean production = false;
        for (Module each : Module.all(testbed)) {
            Path file = Module.diagnostics(testbed, each.name());
            if (!Files.exists(file)) {
                continue;
            }
            // Production code of any module that failed: those that need it were not compiled.
            for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                if (each.name().equals(m.name()) || line.contains("\"stage\":\"production\"")) {
                    lines.add(line);
                }
            }
            production |= each.name().equals(m.name()) && each.mainFailed();
        }
        if (m.mainFailed() || !m.get("failed").isEmpty() || m.get("test.output").isEmpty() || m.get("java.test").isEmpty() && m.get("kotlin.test").isEmpty()) {
            tell(lines, l -> l.contains("\"stage\":\"production\""));
            end("production", production ? "production code of " + module + " does not compile" : "the build did not come to the tests of " + module, 3);
            return false;
        }
        if (!m.testFailed()) {
            return true;
        }
        if (lines.contains("{\"event\":\"nothing\"}")) {
            tell(lines, l -> l.contains("\"event\":\"diagnostic\""));
            end("test", "no test of " + module + " compiles", 3);
            return false;
        }
        Set<String> files = new LinkedHashSet<>();
        if (m.has(type)) {
            return true;
        }
        String simple = type.substring(type.lastIndexOf('.') + 1);
        for (String line : lines) {
            String path = field(line, "path");
            if (stem(path).equals(simple) || declares(path)) {
                files.add(path);
            }
        }
        if (files.isEmpty()) {
            return true; // no such class, for no error: nothing matches
        }
        causes(lines, files);
        tell(lines, l -> files.contains(field(l, "path")));
        end("test", "the file of " + type + " does not compile", 3);
        return false;
    }

    /** Adds the files for want of which others did not compile. */
    private void causes(List<String> lines, Set<String> files) {
        for (boolean more = true; more;) {
            more = false;
            Set<String> named = new HashSet<>();
            for (String line : lines) {
                if (files.contains(field(line, "path")) && line.contains("\"follow_up\":true")) {
                    Matcher n = Pattern.compile("\"([^\"]+)\"").matcher(line.substring(line.indexOf("\"names\":[") + 9, line.lastIndexOf(']')));
                    while (n.find()) {
                        named.add(n.group(1));
                    }
                }
            }
            for (String line : lines) {
                String path = field(line, "path");
                if (!path.isEmpty() && named.contains(stem(path))) {
                    more |= files.add(path);
                }
            }
        }
    }

    /** Whether a source file of another name declares the class. */
    private boolean declares(String path) throws Exception {
        if (!path.endsWith(".kt") && !path.endsWith(".java")) {
            return false;
        }
        Path file = testbed.resolve(path);
        if (!Files.exists(file)) {
            return false;
        }
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        int dot = type.lastIndexOf('.');
        return (dot < 0 || Pattern.compile("\\bpackage\\s+" + Pattern.quote(type.substring(0, dot)) + "\\b").matcher(text).find())
            && Pattern.compile("\\b(class|object|interface)\\s+" + Pattern.quote(type.substring(dot + 1)) + "\\b").matcher(text).find();
    }

    private static String field(String line, String name) {
        Matcher m = Pattern.compile("\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(line);
        return m.find() ? m.group(1) : "";
    }

    private static String stem(String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        return name.contains(".") ? name.substring(0, name.indexOf('.')) : name;
    }

    private void tell(List<String> lines, java.util.function.Predicate<String> which) throws Exception {
        out.close();
        List<String> told = new ArrayList<>();
        for (String l : lines) {
            if (l.startsWith("{\"event\":\"diagnostic\"") && which.test(l)) {
                told.add(l);
            }
        }
        Files.write(Paths.get(report), told, StandardCharsets.UTF_8);
        out = new Out(report, true);
    }

    /** The class of a planted source file; it is compiled where the build has not done it. */
    private String plant(Module m, List<String> cp, Path output, String path) throws Exception {
        Path file = testbed.resolve(path);
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        Matcher p = Pattern.compile("(?m)^package\\s+([\\w.]+)").matcher(text);
        String name = (p.find() ? p.group(1) + "." : "") + stem(path);
        if (!m.has(name)) {
            List<String> options = Javac.options(m, "java.test");
            options.add("-proc:none");
            for (Javac.Fault f : Javac.compile(Arrays.asList(file), options, cp, output)) {
                System.err.println(path + ":" + f.line + ": " + f.message);
            }
        }
        return name;
    }

    private List<String> command(Module m, List<String> cp, String runner) throws Exception {
        List<String> path = new ArrayList<>(cp);
        String extra = Module.extra(cp);
        if (!extra.isEmpty()) {
            Path file = env.resolve("taskmill/extra/" + extra);
            if (Files.exists(file)) {
                for (String e : new String(Files.readAllBytes(file), StandardCharsets.UTF_8).trim().split(File.pathSeparator)) {
                    if (!path.contains(e)) {
                        path.add(e);
                    }
                }
            }
        }
        path.addAll(m.list("surefire.more"));
        path.add(env.resolve("taskmill/launch").toString());
        List<String> out = new ArrayList<>();
        out.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
        // A class runs for a second or two: the second compiler does not pay.
        out.addAll(Arrays.asList("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        if (!m.is("surefire.enableAssertions", "false")) {
            out.add("-ea");
        }
        out.addAll(Module.words(m.get("surefire.argLine")));
        m.below("surefire.systemPropertyVariables.").forEach((k, v) -> out.add("-D" + k + "=" + v));
        out.add("-Dbasedir=" + m.get("basedir"));
        out.add("-Duser.home=" + System.getProperty("user.home"));
        out.add("-cp");
        out.add(String.join(File.pathSeparator, path));
        out.add("taskmill." + (runner.equals("platform") ? "Platform" : runner.equals("testng") ? "TestNG" : "JUnit4"));
        return out;
    }
}
