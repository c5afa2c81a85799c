package taskmill;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs classes on the JUnit Platform. */
public final class Platform implements TestExecutionListener {
    private final Selection s;
    private TestPlan plan;
    private final Map<String, Long> begun = new HashMap<>();
    private final Set<String> told = new HashSet<>();

    private Platform(Selection s) {
        this.s = s;
    }

    public static void main(String[] args) throws Exception {
        Selection s = new Selection(args);
        try {
            LauncherDiscoveryRequestBuilder b = LauncherDiscoveryRequestBuilder.request();
            for (String c : s.classes) {
                b.selectors(DiscoverySelectors.selectClass(c));
            }
            s.parameters.forEach(b::configurationParameter);
            // One check at a time: which one ran when the process died must be certain.
            b.configurationParameter("junit.jupiter.execution.parallel.enabled", "false");
            if (s.seed != 0) {
                b.configurationParameter("junit.jupiter.testmethod.order.default", "org.junit.jupiter.api.MethodOrderer$Random");
                b.configurationParameter("junit.jupiter.testclass.order.default", "org.junit.jupiter.api.ClassOrderer$Random");
                b.configurationParameter("junit.jupiter.execution.order.random.seed", String.valueOf(s.seed));
            }
            if (!s.groups.isEmpty()) {
                b.filters(TagFilter.includeTags(s.groups.split("\\s*,\\s*")));
            }
            if (!s.excluded.isEmpty()) {
                b.filters(TagFilter.excludeTags(s.excluded.split("\\s*,\\s*")));
            }
            b.filters((PostDiscoveryFilter) d -> {
                TestSource source = d.getSource().orElse(null);
                if (!(source instanceof MethodSource)) {
                    return FilterResult.included("");
                }
                MethodSource m = (MethodSource) source;
                return FilterResult.includedIf(s.wants(m.getClassName(), m.getMethodName()));
            });
            Launcher launcher = LauncherFactory.create();
            launcher.execute(b.build(), new Platform(s));
        } catch (Throwable t) {
            t.printStackTrace();
            s.broken(t);
        }
        s.finish();
    }

    @Override
    public void testPlanExecutionStarted(TestPlan p) {
        plan = p;
    }

    /** Class, method and name of an identifier; the class is that of its nearest ancestor which has one. */
    private String[] of(TestIdentifier id) {
        String type = null;
        String method = null;
        for (TestIdentifier at = id; at != null && type == null; at = plan.getParent(at).orElse(null)) {
            TestSource source = at.getSource().orElse(null);
            if (source instanceof MethodSource) {
                type = ((MethodSource) source).getClassName();
                method = ((MethodSource) source).getMethodName();
            } else if (source instanceof ClassSource && method == null) {
                type = ((ClassSource) source).getClassName();
            }
        }
        if (type == null) {
            type = s.classes.get(0);
        }
        return new String[] {type, method, Selection.name(id.getLegacyReportingName(), method)};
    }

    @Override
    public void executionStarted(TestIdentifier id) {
        begun.put(id.getUniqueId(), System.nanoTime());
        if (id.isTest()) {
            told.add(id.getUniqueId());
            String[] of = of(id);
            s.start(of[0], of[1], of[2], id.getDisplayName());
        }
    }

    @Override
    public void executionSkipped(TestIdentifier id, String reason) {
        without(id, "skip", null);
    }

    @Override
    public void executionFinished(TestIdentifier id, TestExecutionResult r) {
        Throwable t = r.getThrowable().orElse(null);
        String outcome = "pass";
        if (r.getStatus() == TestExecutionResult.Status.ABORTED) {
            outcome = "skip";
        } else if (r.getStatus() == TestExecutionResult.Status.FAILED) {
            outcome = Selection.outcome(t);
            if (t != null) {
                System.err.println(id.getDisplayName() + ": ");
                t.printStackTrace();
            }
        }
        if (id.isTest()) {
            Long from = begun.get(id.getUniqueId());
            String[] of = of(id);
            s.end(of[0], of[2], outcome, from == null ? 0 : (System.nanoTime() - from) / 1e9, t);
        } else if (!outcome.equals("pass")) {
            // A class or a factory that could not be set up, or torn down: each of its checks
            // that did not run has the outcome; where all have, the container is one itself.
            outcome = outcome.equals("skip") ? "skip" : "error";
            if (without(id, outcome, t) == 0) {
                String[] of = of(id);
                String name = of[1] == null ? (id.getSource().isPresent() ? "[class]" : "[" + id.getLegacyReportingName() + "]") : of[2];
                s.without(of[0], of[1], name, outcome, t);
            }
        }
    }

    /** Tells the outcome of all that did not run below an identifier, itself included; gives their number. */
    private int without(TestIdentifier id, String outcome, Throwable t) {
        List<TestIdentifier> leaves = new ArrayList<>();
        leaves(id, leaves);
        int n = 0;
        for (TestIdentifier leaf : leaves) {
            if (told.add(leaf.getUniqueId())) {
                String[] of = of(leaf);
                s.without(of[0], of[1], of[1] == null && !leaf.isTest() ? "[class]" : of[2], outcome, t);
                n++;
            }
        }
        return n;
    }

    private void leaves(TestIdentifier id, List<TestIdentifier> into) {
        Set<TestIdentifier> children = plan.getChildren(id);
        Optional<TestSource> source = id.getSource();
        if (id.isTest() || children.isEmpty() && source.isPresent() && source.get() instanceof MethodSource) {
            into.add(id);
        }
        for (TestIdentifier child : children) {
            leaves(child, into);
        }
    }
}
