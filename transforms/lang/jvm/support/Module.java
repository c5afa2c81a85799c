package taskmill;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One module as the build left it. */
final class Module {
    static final String FOLDER = ".taskmill/modules";
    static final String ENDED = ".taskmill/ended";
    final Properties p = new Properties();

    static Module read(Path file) throws IOException {
        Module m = new Module();
        try (InputStream in = Files.newInputStream(file)) {
            m.p.load(in);
        }
        return m;
    }

    /** The module of a name; null where the build did not come to it. */
    static Module of(Path testbed, String name) throws IOException {
        Path file = testbed.resolve(FOLDER).resolve(name + ".properties");
        return Files.exists(file) ? read(file) : null;
    }

    static List<Module> all(Path testbed) throws IOException {
        List<Module> out = new ArrayList<>();
        Path dir = testbed.resolve(FOLDER);
        if (!Files.isDirectory(dir)) {
            return out;
        }
        try (Stream<Path> files = Files.list(dir)) {
            for (Path f : files.filter(f -> f.toString().endsWith(".properties")).sorted().collect(Collectors.toList())) {
                out.add(read(f));
            }
        }
        return out;
    }

    String get(String key) {
        return p.getProperty(key, "");
    }

    String name() {
        return get("module");
    }

    boolean is(String key, String value) {
        return get(key).equals(value);
    }

    List<String> list(String key) {
        String v = get(key);
        return v.isEmpty() ? new ArrayList<>() : new ArrayList<>(Arrays.asList(v.split("\n")));
    }

    Map<String, String> below(String prefix) {
        Map<String, String> out = new LinkedHashMap<>();
        for (String k : p.stringPropertyNames()) {
            if (k.startsWith(prefix)) {
                out.put(k.substring(prefix.length()), p.getProperty(k));
            }
        }
        return out;
    }

    /** Whether a compiler failed on the production code. */
    boolean mainFailed() {
        return failed("java.main") || failed("kotlin.main");
    }

    boolean testFailed() {
        return failed("java.test") || failed("kotlin.test");
    }

    /** Whether a compiler failed: it told so, or began and did not end. */
    boolean failed(String key) {
        return is(key, "failed") || is(key, "started");
    }

    /** Whether the tests' class path has a class of the build. */
    boolean has(String type) {
        String file = type.replace('.', '/') + ".class";
        List<String> dirs = list("test.classpath");
        dirs.add(get("test.output"));
        for (String d : dirs) {
            if (!d.isEmpty() && Files.isRegularFile(Paths.get(d, file))) {
                return true;
            }
        }
        return false;
    }

    /** Where the diagnostics of a module are. */
    static Path diagnostics(Path testbed, String name) {
        return testbed.resolve(FOLDER).resolve(name + ".jsonl");
    }

    /** The version in the name of an artifact's jar on a class path; null where it is not there. */
    static String version(List<String> classpath, String artifact) {
        Pattern jar = Pattern.compile("^" + Pattern.quote(artifact) + "-(\\d[^/]*)\\.jar$");
        for (String e : classpath) {
            Matcher m = jar.matcher(new File(e).getName());
            if (m.matches()) {
                return m.group(1);
            }
        }
        return null;
    }

    /** What must stand beside a test class path to run it: the key of a class path that the preparation wrote. */
    static String extra(List<String> cp) {
        String engine = version(cp, "junit-platform-engine");
        String api = version(cp, "junit-jupiter-api");
        String jupiter = version(cp, "junit-jupiter-engine");
        String launcher = version(cp, "junit-platform-launcher");
        String commons = version(cp, "junit-platform-commons");
        if (api != null && jupiter == null) {
            return "jupiter-" + api + "-" + commons;
        }
        if (engine != null && launcher == null) {
            return "launcher-" + engine;
        }
        return "";
    }

    /** The runner of a test class path: platform, junit4, testng; "" where none is known. */
    static String runner(List<String> cp) {
        if (version(cp, "junit-jupiter-api") != null || version(cp, "junit-platform-engine") != null) {
            return "platform";
        }
        if (version(cp, "testng") != null) {
            return "testng";
        }
        if (version(cp, "junit") != null || version(cp, "junit-dep") != null) {
            return "junit4";
        }
        return "";
    }

    /** Splits an argument line as a shell does: blanks, single and double quotes. */
    static List<String> words(String line) {
        List<String> out = new ArrayList<>();
        StringBuilder b = new StringBuilder();
        boolean in = false;
        char quote = 0;
        for (char c : line.toCharArray()) {
            if (quote != 0) {
                if (c == quote) {
                    quote = 0;
                } else {
                    b.append(c);
                }
            } else if (c == '\'' || c == '"') {
                quote = c;
                in = true;
            } else if (Character.isWhitespace(c)) {
                if (in || b.length() > 0) {
                    out.add(b.toString());
                }
                b.setLength(0);
                in = false;
            } else {
                b.append(c);
            }
        }
        if (in || b.length() > 0) {
            out.add(b.toString());
        }
        return out;
    }

    static void delete(Path dir) throws IOException {
        if (!Files.exists(dir)) {
            return;
        }
        try (Stream<Path> all = Files.walk(dir)) {
            for (Path p : all.sorted((a, b) -> b.compareTo(a)).collect(Collectors.toList())) {
                Files.delete(p);
            }
        }
    }

    /** Those of files below roots that the compiler plugin is told to take. */
    List<Path> chosen(List<Path> files, List<String> roots, String key) {
        boolean test = key.endsWith(".test");
        List<String> includes = list(key + (test ? ".testIncludes" : ".includes"));
        List<String> excludes = list(key + (test ? ".testExcludes" : ".excludes"));
        List<Path> out = new ArrayList<>();
        for (Path f : files) {
            String name = f.toString();
            for (String r : roots) {
                if (f.startsWith(r)) {
                    name = Paths.get(r).relativize(f).toString();
                }
            }
            if ((includes.isEmpty() || matches(includes, name)) && !matches(excludes, name)) {
                out.add(f);
            }
        }
        return out;
    }

    private static boolean matches(List<String> patterns, String name) {
        for (String p : patterns) {
            StringBuilder b = new StringBuilder();
            for (int i = 0; i < p.length(); i++) {
                if (p.startsWith("**/", i)) {
                    b.append("(?:.*/)?");
                    i += 2;
                } else if (p.startsWith("**", i)) {
                    b.append(".*");
                    i++;
                } else if (p.charAt(i) == '*') {
                    b.append("[^/]*");
                } else if (p.charAt(i) == '?') {
                    b.append("[^/]");
                } else {
                    b.append(Pattern.quote(p.substring(i, i + 1)));
                }
            }
            if (p.endsWith("/")) {
                b.append(".*");
            }
            if (name.matches(b.toString())) {
                return true;
            }
        }
        return false;
    }

    /** Source files below roots, sorted. */
    static List<Path> sources(List<String> roots, String suffix) throws IOException {
        List<Path> out = new ArrayList<>();
        for (String r : roots) {
            Path root = Paths.get(r);
            if (!Files.isDirectory(root)) {
                continue;
            }
            try (Stream<Path> all = Files.walk(root)) {
                all.filter(p -> p.toString().endsWith(suffix) && Files.isRegularFile(p)).forEach(out::add);
            }
        }
        return out.stream().distinct().sorted().collect(Collectors.toList());
    }
}
