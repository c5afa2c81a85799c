package taskmill;

import java.io.File;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prepares an environment: our listener for Maven, all that Maven needs to compile the tree and
 * its tests, and what runs them. Arguments: testbed, environment, the least Java, then the
 * command of the tool that builds.
 */
public final class Setup {
    private static final String DEPENDENCIES = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath";
    private final Path testbed;
    private final Path env;
    private final List<String> tool;

    private Setup(Path testbed, Path env, List<String> tool) {
        this.testbed = testbed;
        this.env = env;
        this.tool = tool;
    }

    public static void main(String[] args) throws Exception {
        int needs = Integer.parseInt(args[2]);
        if (needs > Runtime.version().feature()) {
            System.err.println("the project needs Java " + needs + ", here is " + Runtime.version().feature());
            System.exit(1);
        }
        Setup s = new Setup(Paths.get(args[0]).toRealPath(), Paths.get(args[1]).toRealPath(), Arrays.asList(args).subList(3, args.length));
        s.spy();
        int exit = Build.tool(s.testbed, s.tool);
        List<Module> all = Module.all(s.testbed);
        for (Module m : all) {
            if (m.mainFailed() || !m.get("failed").isEmpty()) {
                exit = Math.max(exit, 1);
            }
        }
        if (exit != 0 || all.isEmpty()) {
            System.exit(Math.max(exit, 1));
        }
        s.launchers(all);
    }

    private void spy() throws Exception {
        Path classes = Files.createDirectories(env.resolve("taskmill/spy"));
        compile(List.of("Spy.java"), jars(env.resolve("maven/lib")), classes);
        try (OutputStream file = Files.newOutputStream(env.resolve("taskmill/spy.jar")); JarOutputStream jar = new JarOutputStream(file)) {
            add(jar, "META-INF/sisu/javax.inject.Named", "taskmill.Spy\n".getBytes(StandardCharsets.UTF_8));
            for (Path p : Module.sources(List.of(classes.toString()), ".class")) {
                add(jar, classes.relativize(p).toString(), Files.readAllBytes(p));
            }
        }
    }

    private static void add(JarOutputStream jar, String name, byte[] data) throws Exception {
        JarEntry e = new JarEntry(name);
        e.setTime(0);
        jar.putNextEntry(e);
        jar.write(data);
        jar.closeEntry();
    }

    private static List<String> jars(Path dir) throws Exception {
        try (Stream<Path> all = Files.list(dir)) {
            return all.map(Path::toString).filter(n -> n.endsWith(".jar")).sorted().collect(Collectors.toList());
        }
    }

    private void compile(List<String> sources, List<String> cp, Path to) throws Exception {
        List<Path> files = new ArrayList<>();
        for (String s : sources) {
            files.add(env.resolve("taskmill").resolve(s));
        }
        for (Javac.Fault f : Javac.compile(files, List.of("--release", "8"), cp, to)) {
            System.err.println(f.path + ":" + f.line + ": " + f.message);
            System.exit(1);
        }
    }

    /** Resolves what runs the modules' tests and compiles our launchers against it. */
    private void launchers(List<Module> all) throws Exception {
        Path launch = Files.createDirectories(env.resolve("taskmill/launch"));
        Files.createDirectories(env.resolve("taskmill/extra"));
        Set<String> done = new TreeSet<>();
        Set<String> built = new LinkedHashSet<>();
        boolean known = false;
        for (Module m : all) {
            List<String> cp = m.list("test.classpath");
            String key = Module.extra(cp);
            List<String> extra = new ArrayList<>();
            if (!key.isEmpty()) {
                Path file = env.resolve("taskmill/extra").resolve(key);
                if (done.add(key)) {
                    resolve(key, file);
                }
                extra.addAll(Arrays.asList(new String(Files.readAllBytes(file), StandardCharsets.UTF_8).trim().split(File.pathSeparator)));
            }
            String runner = Module.runner(cp);
            if (Surefire.needed(m, runner)) {
                Surefire.warm(testbed, m, runner);
                known = true;
            }
            if (runner.isEmpty() || !built.add(runner)) {
                continue;
            }
            List<String> with = new ArrayList<>(cp);
            with.addAll(extra);
            String source = runner.equals("platform") ? "Platform.java" : runner.equals("testng") ? "TestNG.java" : "JUnit4.java";
            compile(List.of(source, "Selection.java", "Out.java"), with, launch);
        }
        if (built.isEmpty() && !known) {
            System.err.println("no module has a runner of tests on its class path that is known: JUnit 4, JUnit 5, TestNG");
            System.exit(1);
        }
    }

    /** Writes the class path of the artifacts that a key names. */
    private void resolve(String key, Path file) throws Exception {
        StringBuilder deps = new StringBuilder();
        if (key.startsWith("launcher-")) {
            dependency(deps, "org.junit.platform", "junit-platform-launcher", key.substring("launcher-".length()));
        } else {
            String[] versions = key.substring("jupiter-".length()).split("-(?=\\d)", 2);
            dependency(deps, "org.junit.jupiter", "junit-jupiter-engine", versions[0]);
            dependency(deps, "org.junit.platform", "junit-platform-launcher", versions[1]);
        }
        Path dir = Files.createTempDirectory("resolve");
        Path pom = dir.resolve("pom.xml");
        Files.write(pom, Collections.singletonList("<project><modelVersion>4.0.0</modelVersion><groupId>taskmill</groupId><artifactId>extra</artifactId>"
            + "<version>1</version><packaging>pom</packaging><dependencies>" + deps + "</dependencies></project>"));
        List<String> command = new ArrayList<>(Arrays.asList(env.resolve("maven/bin/mvn").toString(), "-B", "-q", "-Dmaven.repo.local=" + env.resolve("m2")));
        command.addAll(Arrays.asList("-f", pom.toString(), DEPENDENCIES, "-Dmdep.outputFile=" + file));
        if (new ProcessBuilder(command).directory(dir.toFile()).inheritIO().start().waitFor() != 0) {
            System.exit(1);
        }
    }

    private static void dependency(StringBuilder b, String group, String artifact, String version) {
        b.append("<dependency><groupId>").append(group).append("</groupId><artifactId>").append(artifact)
            .append("</artifactId><version>").append(version).append("</version></dependency>");
    }
}
