package taskmill;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.testng.IMethodInstance;
import org.testng.IMethodInterceptor;
import org.testng.ITestContext;
import org.testng.ITestListener;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

/** Runs classes with TestNG. A method that is called more than once has an index, by the order of its calls. */
public final class TestNG implements ITestListener, IMethodInterceptor {
    private final Selection s;
    private final Map<ITestResult, String> names = new HashMap<>();
    private final Map<String, Integer> calls = new HashMap<>();

    private TestNG(Selection s) {
        this.s = s;
    }

    public static void main(String[] args) throws Exception {
        Selection s = new Selection(args);
        try {
            org.testng.TestNG ng = new org.testng.TestNG(false);
            XmlSuite suite = new XmlSuite();
            suite.setName("unit");
            XmlTest test = new XmlTest(suite);
            test.setName("unit");
            List<XmlClass> classes = new ArrayList<>();
            for (String c : s.classes) {
                classes.add(new XmlClass(Class.forName(c, false, TestNG.class.getClassLoader())));
            }
            test.setXmlClasses(classes);
            ng.setXmlSuites(Arrays.asList(suite));
            if (!s.groups.isEmpty()) {
                ng.setGroups(s.groups);
            }
            if (!s.excluded.isEmpty()) {
                ng.setExcludedGroups(s.excluded);
            }
            ng.setVerbose(0);
            TestNG l = new TestNG(s);
            ng.addListener((org.testng.ITestNGListener) l);
            ng.run();
        } catch (Throwable t) {
            t.printStackTrace();
            s.broken(t);
        }
        s.finish();
    }

    @Override
    public List<IMethodInstance> intercept(List<IMethodInstance> methods, ITestContext context) {
        List<IMethodInstance> out = new ArrayList<>();
        for (IMethodInstance m : methods) {
            ITestNGMethod t = m.getMethod();
            if (s.wants(t.getTestClass().getName(), t.getMethodName())) {
                out.add(m);
            }
        }
        if (s.seed != 0) {
            out.sort(Comparator.comparingInt(m -> s.rank(m.getMethod().getTestClass().getName() + "#" + m.getMethod().getMethodName())));
        }
        return out;
    }

    private static String type(ITestResult r) {
        return r.getTestClass().getName();
    }

    private String name(ITestResult r) {
        return names.computeIfAbsent(r, x -> {
            String method = r.getMethod().getMethodName();
            Class<?>[] types = r.getMethod().getConstructorOrMethod().getMethod() == null ? new Class<?>[0]
                : r.getMethod().getConstructorOrMethod().getMethod().getParameterTypes();
            StringBuilder b = new StringBuilder(method);
            if (types.length > 0) {
                b.append('(');
                for (int i = 0; i < types.length; i++) {
                    b.append(i > 0 ? ", " : "").append(types[i].getSimpleName());
                }
                b.append(')');
            }
            int n = calls.merge(type(r) + "#" + b, 1, Integer::sum);
            if (r.getMethod().isDataDriven() || r.getMethod().getInvocationCount() > 1 || n > 1) {
                b.append('[').append(n).append(']');
            }
            return b.toString();
        });
    }

    private void start(ITestResult r) {
        s.start(type(r), r.getMethod().getMethodName(), name(r), name(r));
    }

    private void end(ITestResult r, String outcome) {
        Throwable t = outcome.equals("pass") ? null : r.getThrowable();
        if (t != null) {
            t.printStackTrace();
        }
        s.end(type(r), name(r), outcome, Math.max(0, r.getEndMillis() - r.getStartMillis()) / 1e3, t);
    }

    @Override
    public void onTestStart(ITestResult r) {
        start(r);
    }

    @Override
    public void onTestSuccess(ITestResult r) {
        end(r, "pass");
    }

    @Override
    public void onTestFailure(ITestResult r) {
        end(r, Selection.outcome(r.getThrowable()));
    }

    @Override
    public void onTestSkipped(ITestResult r) {
        if (!names.containsKey(r)) {
            start(r);
        }
        // TestNG skips what a broken configuration method or dependency stands before.
        boolean chosen = r.getThrowable() == null || r.getThrowable() instanceof org.testng.SkipException;
        end(r, chosen ? "skip" : "error");
    }

    @Override
    public void onTestFailedButWithinSuccessPercentage(ITestResult r) {
        end(r, "fail");
    }

    @Override
    public void onStart(ITestContext c) {
    }

    @Override
    public void onFinish(ITestContext c) {
    }
}
