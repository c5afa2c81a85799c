package taskmill;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs classes with JUnit 4, JUnit 3's test cases among them. */
public final class JUnit4 extends RunListener {
    private final Selection s;
    private final Map<Description, Long> begun = new HashMap<>();
    private final Map<Description, Throwable> failures = new HashMap<>();
    private final Set<Description> assumed = new HashSet<>();
    private final Set<Description> told = new HashSet<>();

    private JUnit4(Selection s) {
        this.s = s;
    }

    public static void main(String[] args) throws Exception {
        Selection s = new Selection(args);
        try {
            for (String c : s.classes) {
                Request r = Request.aClass(Class.forName(c, false, JUnit4.class.getClassLoader()));
                if (s.seed != 0) {
                    r = r.sortWith(Comparator.comparingInt((Description d) -> s.rank(d.getDisplayName())));
                }
                Runner runner = r.getRunner();
                try {
                    chosen(s).apply(runner);
                } catch (NoTestsRemainException e) {
                    continue;
                }
                JUnitCore core = new JUnitCore();
                core.addListener(new JUnit4(s));
                core.run(runner);
            }
        } catch (Throwable t) {
            t.printStackTrace();
            s.broken(t);
        }
        s.finish();
    }

    private static Filter chosen(Selection s) {
        return new Filter() {
            @Override
            public boolean shouldRun(Description d) {
                if (d.isTest()) {
                    return d.getMethodName() == null || s.wants(d.getClassName(), method(d));
                }
                for (Description child : d.getChildren()) {
                    if (shouldRun(child)) {
                        return true;
                    }
                }
                return d.getChildren().isEmpty();
            }

            @Override
            public String describe() {
                return "chosen";
            }
        };
    }

    /** The method of a description: a parameterised one is m[0], or m(1, 2) of some runners. */
    private static String method(Description d) {
        String name = String.valueOf(d.getMethodName());
        Class<?> type = d.getTestClass();
        String best = "";
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (java.lang.reflect.Method m : methods(c)) {
                String n = m.getName();
                if (n.length() > best.length() && name.startsWith(n)
                    && (name.length() == n.length() || !Character.isJavaIdentifierPart(name.charAt(n.length())))) {
                    best = n;
                }
            }
        }
        return best.isEmpty() ? Selection.method(name) : best;
    }

    private static java.lang.reflect.Method[] methods(Class<?> c) {
        try {
            return c.getDeclaredMethods();
        } catch (LinkageError e) {
            return new java.lang.reflect.Method[0];
        }
    }

    private static String name(Description d) {
        return d.getMethodName() == null ? "[class]" : Selection.name(d.getMethodName(), method(d));
    }

    @Override
    public void testStarted(Description d) {
        told.add(d);
        begun.put(d, System.nanoTime());
        s.start(d.getClassName(), d.getMethodName() == null ? null : method(d), name(d), String.valueOf(d.getMethodName()));
    }

    @Override
    public void testFailure(Failure f) {
        Description d = f.getDescription();
        System.err.println(d.getDisplayName() + ": " + f.getTrace());
        if (begun.containsKey(d)) {
            failures.merge(d, f.getException(), (a, b) -> a instanceof AssertionError ? a : b);
            return;
        }
        without(d, "error", f.getException(), true);
    }

    @Override
    public void testAssumptionFailure(Failure f) {
        Description d = f.getDescription();
        if (begun.containsKey(d)) {
            assumed.add(d);
            return;
        }
        without(d, "skip", f.getException(), true);
    }

    @Override
    public void testIgnored(Description d) {
        without(d, "skip", null, true);
    }

    @Override
    public void testFinished(Description d) {
        Throwable t = failures.remove(d);
        String outcome = t != null ? Selection.outcome(t) : assumed.contains(d) ? "skip" : "pass";
        s.end(d.getClassName(), name(d), outcome, (System.nanoTime() - begun.remove(d)) / 1e9, t);
    }

    /** All that did not run below a description; where all have run, the class itself. */
    private void without(Description d, String outcome, Throwable t, boolean first) {
        int before = told.size();
        if (d.isTest() || d.getChildren().isEmpty()) {
            if (told.add(d)) {
                s.without(d.getClassName(), d.getMethodName() == null ? null : method(d), name(d), outcome, t);
            }
        }
        for (Description child : d.getChildren()) {
            without(child, outcome, t, false);
        }
        if (first && told.size() == before && !outcome.equals("skip")) {
            s.without(d.getClassName(), null, "[class]", outcome, t);
        }
    }
}
