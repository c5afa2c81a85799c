package taskmill;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles with the JDK's own compiler and tells its diagnostics as values. */
final class Javac {
    private static final List<String> LOCATED = Arrays.asList("compiler.err.cant.resolve", "compiler.err.doesnt.exist");

    /** An error: its file, line, message, the symbols that it names. */
    static final class Fault {
        Path path;
        long line;
        String code;
        String message;
        Set<String> names = new LinkedHashSet<>();
        boolean followUp;
    }

    /** Errors of compiling the files into output (null: nothing is written). */
    static List<Fault> compile(List<Path> files, List<String> options, List<String> classpath, Path output) throws IOException {
        JavaCompiler c = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<Fault> out = new ArrayList<>();
        try (StandardJavaFileManager fm = c.getStandardFileManager(found, Locale.ROOT, Charset.forName("UTF-8"))) {
            List<String> all = new ArrayList<>(options);
            all.addAll(Arrays.asList("-nowarn", "-Xmaxerrs", "100000", "-implicit:none", "-XDshould-stop.ifError=FLOW", "-cp", String.join(File.pathSeparator, classpath)));
            Path to = output == null ? Files.createTempDirectory("classes") : output;
            Files.createDirectories(to);
            all.addAll(Arrays.asList("-d", to.toString()));
            StringWriter text = new StringWriter();
            boolean ok;
            try {
                ok = c.getTask(text, fm, found, all, null, fm.getJavaFileObjectsFromFiles(files(files))).call();
            } catch (IllegalArgumentException e) {
                Fault f = new Fault();
                f.message = e.getMessage();
                out.add(f);
                return out;
            }
            for (Diagnostic<? extends JavaFileObject> d : found.getDiagnostics()) {
                if (d.getKind() == Diagnostic.Kind.ERROR) {
                    out.add(fault(d));
                }
            }
            if (!ok && out.isEmpty()) {
                Fault f = new Fault();
                f.message = "javac failed: " + text.toString().trim();
                out.add(f);
            }
            if (output == null) {
                Module.delete(to);
            }
        }
        return out;
    }

    private static List<File> files(List<Path> paths) {
        List<File> out = new ArrayList<>();
        for (Path p : paths) {
            out.add(p.toFile());
        }
        return out;
    }

    private static Fault fault(Diagnostic<? extends JavaFileObject> d) {
        Fault f = new Fault();
        if (d.getSource() != null) {
            f.path = Paths.get(d.getSource().toUri());
        }
        f.line = Math.max(0, d.getLineNumber());
        f.code = String.valueOf(d.getCode());
        f.message = d.getMessage(Locale.ROOT).replaceAll("\\s+", " ").trim();
        try {
            Object inner = d;
            if (!d.getClass().getName().endsWith("JCDiagnostic")) {
                Field field = d.getClass().getDeclaredField("d");
                field.setAccessible(true);
                inner = field.get(d);
            }
            names(inner, f, 0);
        } catch (ReflectiveOperationException | RuntimeException e) {
            f.names.clear();
        }
        return f;
    }

    /** The symbols among the arguments of a diagnostic, and of those inside it. */
    private static void names(Object diagnostic, Fault f, int depth) throws ReflectiveOperationException {
        Object[] args = (Object[]) call(diagnostic, "getArgs");
        boolean missing = LOCATED.stream().anyMatch(f.code::startsWith);
        if (missing && depth == 0) {
            // What is looked for, and the type in which; not the types of its arguments.
            String name = null;
            for (Object a : args) {
                if (a == null) {
                    continue;
                }
                if (isDiagnostic(a)) {
                    for (Object in : (Object[]) call(a, "getArgs")) {
                        String owner = in == null ? "" : simple(in);
                        if (!owner.isEmpty() && name != null) {
                            f.names.add(owner + "." + name);
                        }
                    }
                } else if (name == null && is(a, "com.sun.tools.javac.util.Name") || name == null && is(a, "com.sun.tools.javac.code.Symbol") || name == null && a instanceof String) {
                    name = a.toString();
                    f.names.add(name);
                }
            }
            return;
        }
        for (Object a : args) {
            if (a == null || depth > 5) {
                continue;
            }
            if (isDiagnostic(a)) {
                names(a, f, depth + 1);
            } else if (is(a, "com.sun.tools.javac.code.Symbol")) {
                symbol(a, f);
            } else if (is(a, "com.sun.tools.javac.code.Type")) {
                String n = simple(a);
                if (!n.isEmpty()) {
                    f.names.add(n);
                }
            } else if (is(a, "com.sun.tools.javac.util.Name")) {
                f.names.add(a.toString());
            }
        }
    }

    private static void symbol(Object a, Fault f) throws ReflectiveOperationException {
        String name = field(a, "name").toString();
        Object owner = field(a, "owner");
        String type = owner == null ? "" : String.valueOf(field(owner, "name"));
        if (name.equals("<init>")) {
            f.names.add(type);
            return;
        }
        f.names.add(name);
        if (!type.isEmpty() && Character.isUpperCase(type.charAt(0))) {
            f.names.add(type + "." + name);
        }
    }

    /** The simple name of a class type or class symbol; "" for all else. */
    private static String simple(Object a) throws ReflectiveOperationException {
        if (is(a, "com.sun.tools.javac.code.Type")) {
            a = field(a, "tsym");
        }
        if (a == null || !is(a, "com.sun.tools.javac.code.Symbol$ClassSymbol")) {
            return "";
        }
        return field(a, "name").toString();
    }

    private static boolean isDiagnostic(Object a) {
        return is(a, "com.sun.tools.javac.util.JCDiagnostic");
    }

    private static boolean is(Object a, String type) {
        for (Class<?> c = a.getClass(); c != null; c = c.getSuperclass()) {
            if (c.getName().equals(type)) {
                return true;
            }
        }
        return false;
    }

    private static Object call(Object o, String method) throws ReflectiveOperationException {
        Method m = o.getClass().getMethod(method);
        m.setAccessible(true);
        return m.invoke(o);
    }

    private static Object field(Object o, String name) throws ReflectiveOperationException {
        for (Class<?> c = o.getClass(); c != null; c = c.getSuperclass()) {
            try {
                Field f = c.getDeclaredField(name);
                f.setAccessible(true);
                return f.get(o);
            } catch (NoSuchFieldException e) {
                continue;
            }
        }
        throw new NoSuchFieldException(name);
    }

    /** The options of a module's compiler plugin. */
    static List<String> options(Module m, String key) {
        List<String> out = new ArrayList<>();
        boolean test = key.endsWith(".test");
        String release = first(m, key, test ? "testRelease" : "release", "release");
        if (!release.isEmpty()) {
            out.addAll(Arrays.asList("--release", release));
        } else {
            String source = first(m, key, test ? "testSource" : "source", "source");
            String target = first(m, key, test ? "testTarget" : "target", "target");
            if (!source.isEmpty()) {
                out.addAll(Arrays.asList("-source", source));
            }
            if (!target.isEmpty()) {
                out.addAll(Arrays.asList("-target", target));
            }
        }
        if (!m.get(key + ".encoding").isEmpty()) {
            out.addAll(Arrays.asList("-encoding", m.get(key + ".encoding")));
        }
        if (m.is(key + ".parameters", "true")) {
            out.add("-parameters");
        }
        if (m.is(key + ".enablePreview", "true")) {
            out.add("--enable-preview");
        }
        if (!m.get(key + ".proc").isEmpty()) {
            out.add("-proc:" + m.get(key + ".proc"));
        }
        List<String> processors = new ArrayList<>();
        for (String id : m.list(key + ".annotationProcessorPaths")) {
            String[] g = id.split(":");
            if (g.length == 3) {
                processors.add(m.get("repository") + "/" + g[0].replace('.', '/') + "/" + g[1] + "/" + g[2] + "/" + g[1] + "-" + g[2] + ".jar");
            }
        }
        if (!processors.isEmpty()) {
            // Without what they need themselves, which the class path mostly has.
            processors.addAll(m.list(test ? "test.classpath" : "main.classpath"));
            out.addAll(Arrays.asList("-processorpath", String.join(File.pathSeparator, processors)));
        }
        Set<String> left = new HashSet<>(Arrays.asList("-Werror", "-verbose"));
        for (String a : m.list(key + ".args")) {
            if (!left.contains(a) && !a.startsWith("-Xlint") && !a.startsWith("-Xplugin") && !a.startsWith("-XDcompilePolicy")) {
                out.add(a);
            }
        }
        return out;
    }

    private static String first(Module m, String key, String... names) {
        for (String n : names) {
            if (!m.get(key + "." + n).isEmpty()) {
                return m.get(key + "." + n);
            }
        }
        return "";
    }
}
