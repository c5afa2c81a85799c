package taskmill;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Compiles with the Kotlin compiler that a module's build uses, and tells its errors as values. */
final class Kotlinc {
    private static final Pattern QUOTED = Pattern.compile("['`]([^'`]+)['`]");
    private static final Pattern UNRESOLVED = Pattern.compile("(?i)unresolved reference(?:\\. None of the following candidates.*| ?:? ?)([\\p{L}_][\\p{L}\\p{N}_]*)?");
    private static final Pattern WORD = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_]*");

    static List<Javac.Fault> compile(Module m, String key, List<Path> files, List<String> classpath, List<String> friends, Path output) throws Exception {
        List<String> args = new ArrayList<>();
        args.addAll(Arrays.asList("-no-stdlib", "-no-reflect", "-nowarn", "-classpath", String.join(File.pathSeparator, classpath), "-d", output.toString()));
        option(args, "-jvm-target", m.get(key + ".jvmTarget"));
        option(args, "-language-version", m.get(key + ".languageVersion"));
        option(args, "-api-version", m.get(key + ".apiVersion"));
        option(args, "-module-name", m.get(key + ".moduleName"));
        if (!friends.isEmpty()) {
            args.add("-Xfriend-paths=" + String.join(",", friends));
        }
        for (String a : m.list(key + ".args")) {
            if (!a.equals("-Werror")) {
                args.add(a);
            }
        }
        for (Path f : files) {
            args.add(f.toString());
        }
        List<URL> urls = new ArrayList<>();
        for (String jar : m.list("kotlin.compiler")) {
            urls.add(new File(jar).toURI().toURL());
        }
        ByteArrayOutputStream xml = new ByteArrayOutputStream();
        Object exit;
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            Class<?> compiler = loader.loadClass("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler");
            Class<?> services = loader.loadClass("org.jetbrains.kotlin.config.Services");
            Object none = services.getField("EMPTY").get(null);
            exit = compiler.getMethod("execAndOutputXml", PrintStream.class, services, String[].class)
                .invoke(compiler.getConstructor().newInstance(), new PrintStream(xml, true, "UTF-8"), none, args.toArray(new String[0]));
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
        List<Javac.Fault> out = parse(xml.toByteArray());
        if (out.isEmpty() && !exit.toString().equals("OK")) {
            Javac.Fault f = new Javac.Fault();
            f.message = "kotlinc ended with " + exit;
            out.add(f);
        }
        return out;
    }

    private static void option(List<String> args, String name, String value) {
        if (!value.isEmpty()) {
            args.addAll(Arrays.asList(name, value));
        }
    }

    private static List<Javac.Fault> parse(byte[] xml) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        List<Javac.Fault> out = new ArrayList<>();
        NodeList all = factory.newDocumentBuilder().parse(new ByteArrayInputStream(xml)).getDocumentElement().getChildNodes();
        for (int i = 0; i < all.getLength(); i++) {
            if (!(all.item(i) instanceof Element)) {
                continue;
            }
            Element e = (Element) all.item(i);
            if (!e.getTagName().equalsIgnoreCase("error") && !e.getTagName().equalsIgnoreCase("exception")) {
                continue;
            }
            Javac.Fault f = new Javac.Fault();
            f.code = e.getTagName();
            f.message = e.getTextContent().replaceAll("\\s+", " ").trim();
            if (!e.getAttribute("path").isEmpty()) {
                f.path = Paths.get(e.getAttribute("path"));
                f.line = number(e.getAttribute("line"));
                names(f, (int) number(e.getAttribute("column")));
            }
            out.add(f);
        }
        return out;
    }

    private static long number(String s) {
        try {
            return Long.parseLong(s);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** What the message quotes, and the word at the place that it tells. */
    private static void names(Javac.Fault f, int column) throws Exception {
        Matcher q = QUOTED.matcher(f.message);
        while (q.find()) {
            Matcher w = WORD.matcher(q.group(1));
            while (w.find()) {
                f.names.add(w.group());
            }
        }
        Matcher u = UNRESOLVED.matcher(f.message);
        if (u.find() && u.group(1) != null) {
            f.names.add(u.group(1));
        }
        List<String> text = Arrays.asList(new String(Files.readAllBytes(f.path), StandardCharsets.UTF_8).split("\n", -1));
        if (f.line >= 1 && f.line <= text.size() && column >= 1) {
            Matcher w = WORD.matcher(text.get((int) f.line - 1));
            if (w.find(Math.min(column - 1, text.get((int) f.line - 1).length())) && w.start() == column - 1) {
                f.names.add(w.group());
            }
        }
    }
}
