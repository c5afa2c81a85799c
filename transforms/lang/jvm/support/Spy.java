package taskmill;

import java.io.File;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.eventspy.AbstractEventSpy;
import org.apache.maven.execution.ExecutionEvent;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.PluginParameterExpressionEvaluator;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/**
 * Listens to a Maven build and writes, for each module, what its compilers were given, whether
 * they succeeded, its test class path and how surefire is configured: one properties file a
 * module below the folder that the property taskmill.modules names. Lists are joined by line
 * breaks.
 */
@Named
@Singleton
public final class Spy extends AbstractEventSpy {
    private static final Pattern LATE = Pattern.compile("@\\{([^}]+)\\}");
    private static final Set<String> CHECKERS = new HashSet<>(Arrays.asList(
        "apache-rat-plugin", "maven-checkstyle-plugin", "maven-enforcer-plugin", "jacoco-maven-plugin", "animal-sniffer-maven-plugin",
        "spotbugs-maven-plugin", "findbugs-maven-plugin", "maven-pmd-plugin", "license-maven-plugin", "maven-javadoc-plugin", "maven-gpg-plugin",
        "spotless-maven-plugin", "formatter-maven-plugin", "impsort-maven-plugin", "sortpom-maven-plugin", "japicmp-maven-plugin",
        "revapi-maven-plugin", "cyclonedx-maven-plugin", "fmt-maven-plugin", "forbiddenapis", "maven-site-plugin", "dokka-maven-plugin",
        "detekt-maven-plugin", "ktlint-maven-plugin", "modernizer-maven-plugin", "duplicate-finder-maven-plugin", "versions-maven-plugin",
        "central-publishing-maven-plugin", "nexus-staging-maven-plugin", "maven-release-plugin", "sonar-maven-plugin", "pitest-maven",
        "maven-toolchains-plugin", "frontend-maven-plugin", "maven-source-plugin", "maven-deploy-plugin"));
    private final Map<String, Properties> modules = new HashMap<>();

    @Override
    public void onEvent(Object o) throws Exception {
        String at = System.getProperty("taskmill.modules");
        if (!(o instanceof ExecutionEvent)) {
            return;
        }
        ExecutionEvent e = (ExecutionEvent) o;
        if (e.getType() == ExecutionEvent.Type.SessionStarted) {
            for (MavenProject p : e.getSession().getProjects()) {
                // They neither compile nor test, and may bring a release of the project along.
                if (p.getBuild() != null && p.getBuild().getPlugins().removeIf(x -> CHECKERS.contains(x.getArtifactId()))) {
                    p.getBuild().flushPluginMap();
                }
                p.getProperties().putIfAbsent("argLine", ""); // as the coverage plugin would have
            }
        }
        if (at == null) {
            return;
        }
        switch (e.getType()) {
            case SessionStarted:
                Files.createDirectories(Paths.get(at));
                for (MavenProject p : e.getSession().getProjects()) {
                    Properties m = new Properties();
                    m.setProperty("module", p.getArtifactId());
                    m.setProperty("self", p.getGroupId() + ":" + p.getArtifactId());
                    m.setProperty("packaging", p.getPackaging());
                    m.setProperty("basedir", p.getBasedir().getPath());
                    m.setProperty("repository", e.getSession().getLocalRepository().getBasedir());
                    modules.put(p.getId(), m);
                    write(at, m);
                }
                break;
            case MojoStarted:
            case MojoSucceeded:
            case MojoFailed:
                mojo(at, e);
                break;
            default:
        }
    }

    private void mojo(String at, ExecutionEvent e) throws Exception {
        MojoExecution x = e.getMojoExecution();
        MavenProject p = e.getProject();
        Properties m = modules.get(p.getId());
        if (m == null) {
            return;
        }
        String plugin = x.getArtifactId();
        String goal = x.getGoal().replace("-", "").toLowerCase();
        boolean compiles = plugin.contains("compiler") || plugin.startsWith("kotlin-");
        boolean known = compiles && (goal.equals("compile") || goal.equals("testcompile"));
        String key = (plugin.startsWith("kotlin-") ? "kotlin." : "java.") + (goal.equals("testcompile") ? "test" : "main");
        String state = e.getType() == ExecutionEvent.Type.MojoStarted ? "started"
            : e.getType() == ExecutionEvent.Type.MojoSucceeded ? "ok" : "failed";
        if (!known) {
            if (state.equals("failed")) {
                m.setProperty("failed", x.getGroupId() + ":" + plugin + ":" + x.getGoal());
                write(at, m);
            }
            return;
        }
        if (state.equals("started")) {
            PluginParameterExpressionEvaluator eval = new PluginParameterExpressionEvaluator(e.getSession(), x);
            project(m, p, goal.equals("testcompile"));
            compiler(m, key, x, eval);
            surefire(m, p, eval);
        }
        if (plugin.startsWith("kotlin-") && !state.equals("started")) {
            m.setProperty("kotlin.compiler", lines(realm(x)));
        }
        if (!(state.equals("started") && "failed".equals(m.getProperty(key)))) {
            m.setProperty(key, state);
        }
        write(at, m);
    }

    private void project(Properties m, MavenProject p, boolean test) throws Exception {
        m.setProperty("main.output", p.getBuild().getOutputDirectory());
        m.setProperty("test.output", p.getBuild().getTestOutputDirectory());
        m.setProperty("main.roots", lines(p.getCompileSourceRoots()));
        m.setProperty("test.roots", lines(p.getTestCompileSourceRoots()));
        m.setProperty("main.classpath", lines(p.getCompileClasspathElements()));
        if (test) {
            m.setProperty("test.classpath", lines(p.getTestClasspathElements()));
        }
    }

    private void compiler(Properties m, String key, MojoExecution x, PluginParameterExpressionEvaluator eval) throws Exception {
        Xpp3Dom c = x.getConfiguration();
        for (String name : new String[] {"release", "testRelease", "source", "testSource", "target", "testTarget", "encoding",
            "parameters", "enablePreview", "proc", "jvmTarget", "languageVersion", "apiVersion", "moduleName", "annotationProcessorPaths"}) {
            Xpp3Dom v = c == null ? null : c.getChild(name);
            if (v == null) {
                continue;
            }
            if (name.equals("annotationProcessorPaths")) {
                List<String> paths = new ArrayList<>();
                for (Xpp3Dom d : v.getChildren()) {
                    paths.add(text(d.getChild("groupId"), eval) + ":" + text(d.getChild("artifactId"), eval) + ":" + text(d.getChild("version"), eval));
                }
                m.setProperty(key + "." + name, lines(paths));
                continue;
            }
            String text = text(v, eval);
            if (!text.isEmpty()) {
                m.setProperty(key + "." + name, text);
            }
        }
        for (String name : new String[] {"includes", "testIncludes", "excludes", "testExcludes"}) {
            Xpp3Dom v = c == null ? null : c.getChild(name);
            List<String> patterns = new ArrayList<>();
            for (Xpp3Dom d : v == null ? new Xpp3Dom[0] : v.getChildren()) {
                patterns.add(text(d, eval));
            }
            m.setProperty(key + "." + name, lines(patterns));
        }
        List<String> args = new ArrayList<>();
        for (String name : new String[] {"compilerArgs", "args", "testCompilerArguments", "compilerPlugins"}) {
            Xpp3Dom v = c == null ? null : c.getChild(name);
            for (Xpp3Dom d : v == null ? new Xpp3Dom[0] : v.getChildren()) {
                if (name.equals("compilerPlugins")) {
                    m.setProperty(key + ".plugins", "true");
                    continue;
                }
                String text = text(d, eval);
                if (!text.isEmpty()) {
                    args.add(text);
                }
            }
        }
        Xpp3Dom one = c == null ? null : c.getChild("compilerArgument");
        if (one != null && !text(one, eval).isEmpty()) {
            args.add(text(one, eval));
        }
        m.setProperty(key + ".args", lines(args));
        if (key.startsWith("kotlin.")) {
            m.setProperty(key + ".roots", lines(sourceDirs(c, eval)));
        }
    }

    /** The plugin's own class path, which is known once it has run. */
    private static List<String> realm(MojoExecution x) {
        List<String> jars = new ArrayList<>();
        if (x.getMojoDescriptor().getPluginDescriptor() != null && x.getMojoDescriptor().getPluginDescriptor().getArtifacts() != null) {
            for (Artifact a : x.getMojoDescriptor().getPluginDescriptor().getArtifacts()) {
                if (a.getFile() != null) {
                    jars.add(a.getFile().getPath());
                }
            }
        }
        return jars;
    }

    private static List<String> sourceDirs(Xpp3Dom c, PluginParameterExpressionEvaluator eval) throws Exception {
        List<String> out = new ArrayList<>();
        Xpp3Dom dirs = c == null ? null : c.getChild("sourceDirs");
        for (Xpp3Dom d : dirs == null ? new Xpp3Dom[0] : dirs.getChildren()) {
            out.add(text(d, eval));
        }
        return out;
    }

    /** How surefire would run this module, from the plugin and its default execution. */
    private void surefire(Properties m, MavenProject p, PluginParameterExpressionEvaluator eval) throws Exception {
        Plugin plugin = p.getPlugin("org.apache.maven.plugins:maven-surefire-plugin");
        Xpp3Dom c = null;
        if (plugin != null) {
            m.setProperty("surefire.version", String.valueOf(plugin.getVersion()));
            c = (Xpp3Dom) plugin.getConfiguration();
            PluginExecution x = plugin.getExecutionsAsMap().get("default-test");
            if (x != null && x.getConfiguration() != null) {
                c = Xpp3Dom.mergeXpp3Dom(new Xpp3Dom((Xpp3Dom) x.getConfiguration()), c == null ? null : new Xpp3Dom(c));
            }
        }
        Xpp3Dom arg = c == null ? null : c.getChild("argLine");
        String argLine = arg == null ? null : text(arg, eval);
        if (argLine == null) {
            Object v = eval.evaluate("${argLine}");
            argLine = v == null ? "" : v.toString();
        }
        Matcher late = LATE.matcher(argLine);
        StringBuffer b = new StringBuffer();
        while (late.find()) {
            Object v = eval.evaluate("${" + late.group(1) + "}");
            late.appendReplacement(b, Matcher.quoteReplacement(v == null ? "" : v.toString()));
        }
        late.appendTail(b);
        m.setProperty("surefire.argLine", b.toString());
        Set<String> unknown = new LinkedHashSet<>();
        for (Xpp3Dom d : c == null ? new Xpp3Dom[0] : c.getChildren()) {
            String name = d.getName();
            switch (name) {
                case "systemPropertyVariables":
                case "environmentVariables":
                    for (Xpp3Dom v : d.getChildren()) {
                        m.setProperty("surefire." + name + "." + v.getName(), text(v, eval));
                    }
                    break;
                case "systemProperties":
                    for (Xpp3Dom v : d.getChildren()) {
                        if (v.getChild("name") != null) {
                            m.setProperty("surefire.systemPropertyVariables." + text(v.getChild("name"), eval), text(v.getChild("value"), eval));
                        }
                    }
                    break;
                case "properties":
                    for (Xpp3Dom v : d.getChildren()) {
                        if (v.getName().equals("configurationParameters")) {
                            m.setProperty("surefire.parameters", text(v, eval));
                        } else if (v.getName().equals("property")) {
                            unknown.add("property " + text(v.getChild("name"), eval));
                        }
                    }
                    break;
                case "additionalClasspathElements":
                    List<String> more = new ArrayList<>();
                    for (Xpp3Dom v : d.getChildren()) {
                        more.add(text(v, eval));
                    }
                    m.setProperty("surefire.more", lines(more));
                    break;
                case "groups":
                case "excludedGroups":
                case "workingDirectory":
                case "reportsDirectory":
                case "enableAssertions":
                case "skip":
                case "skipTests":
                    m.setProperty("surefire." + name, text(d, eval));
                    break;
                case "suiteXmlFiles":
                case "classpathDependencyExcludes":
                case "classpathDependencyScopeExclude":
                case "dependenciesToScan":
                case "junitArtifactName":
                case "testNGArtifactName":
                case "objectFactory":
                case "reportNameSuffix":
                case "jvm":
                case "jdkToolchain":
                    if (d.getChildCount() > 0 || !text(d, eval).isEmpty()) {
                        unknown.add(name);
                    }
                    break;
                default:
            }
        }
        m.setProperty("surefire.unknown", lines(new ArrayList<>(unknown)));
    }

    private static String text(Xpp3Dom d, PluginParameterExpressionEvaluator eval) throws Exception {
        String raw = d == null ? null : d.getValue();
        if (raw == null && d != null) {
            raw = d.getAttribute("default-value");
        }
        if (raw == null) {
            return "";
        }
        Object v = eval.evaluate(raw);
        if (v == null && d.getAttribute("default-value") != null) {
            v = eval.evaluate(d.getAttribute("default-value"));
        }
        return v == null ? "" : v instanceof File ? ((File) v).getPath() : v.toString().trim();
    }

    private static String lines(List<String> list) {
        return String.join("\n", list);
    }

    private static synchronized void write(String at, Properties m) throws Exception {
        Path to = Paths.get(at, m.getProperty("module") + ".properties");
        try (OutputStream out = Files.newOutputStream(to)) {
            m.store(out, null);
        }
    }
}
