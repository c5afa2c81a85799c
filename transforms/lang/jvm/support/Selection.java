package taskmill;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** What of a unit is run, and the events that tell it. Arguments: report, seed, classes, only, skip, groups; lists are joined by line breaks. */
public final class Selection {
    final Out out;
    final long seed;
    final List<String> classes;
    final Set<String> only;
    final Set<String> skip;
    final String groups;
    final String excluded;
    final Map<String, String> parameters = new TreeMap<>();
    private int found;
    private int failed;
    private boolean broken;

    public Selection(String[] args) throws Exception {
        // The command line names the report; a test has no use for it.
        System.clearProperty("sun.java.command");
        out = new Out(args[0], true);
        seed = Long.parseLong(args[1]);
        classes = list(args[2]);
        only = new HashSet<>(list(args[3]));
        skip = new HashSet<>(list(args[4]));
        groups = args[5];
        excluded = args[6];
        for (String line : list(args[7])) {
            int eq = line.indexOf('=');
            if (eq > 0 && !line.trim().startsWith("#")) {
                parameters.put(line.substring(0, eq).trim(), line.substring(eq + 1).trim());
            }
        }
    }

    private static List<String> list(String s) {
        return s.isEmpty() ? new ArrayList<>() : Arrays.asList(s.split("\n"));
    }

    /** Only and skip speak of the first class, the unit, and its nested classes; the others run whole. */
    boolean wants(String type, String method) {
        String unit = classes.get(0);
        if (!type.equals(unit) && !type.startsWith(unit + "$") && classes.contains(top(type))) {
            return true;
        }
        String function = type + "#" + method;
        return (only.isEmpty() || only.contains(function)) && !skip.contains(function);
    }

    private static String top(String type) {
        int cut = type.indexOf('$', 1);
        return cut < 0 ? type : type.substring(0, cut);
    }

    /** A number that orders names by the seed. */
    int rank(String name) {
        return new Random(seed * 31 + name.hashCode()).nextInt();
    }

    void start(String type, String method, String name, String title) {
        found++;
        out.event("start", "class", type, "method", method, "name", name, "title", title.equals(name) ? null : title);
    }

    void end(String type, String name, String outcome, double seconds, Throwable t) {
        if (outcome.equals("fail") || outcome.equals("error")) {
            failed++;
        }
        out.event("end", "class", type, "name", name, "outcome", outcome, "seconds", seconds,
            "type", t == null ? null : t.getClass().getName());
    }

    /** A check that never ran, with its outcome. */
    void without(String type, String method, String name, String outcome, Throwable t) {
        start(type, method, name, name);
        end(type, name, outcome, 0, t);
    }

    void broken(Throwable t) {
        broken = true;
        out.event("broken", "type", t.getClass().getName(), "message", String.valueOf(t.getMessage()));
    }

    /** Tells the end and ends the process, whatever threads the tests have left. */
    void finish() {
        int exit = broken ? 4 : failed > 0 ? 1 : found == 0 ? 2 : 0;
        out.event("finish", "exit", exit, "found", found, "failed", failed);
        System.out.flush();
        System.err.flush();
        Runtime.getRuntime().exit(exit);
    }

    static String outcome(Throwable t) {
        return t instanceof AssertionError ? "fail" : "error";
    }

    /**
     * The name of a check from which its method follows: the legacy name without empty
     * brackets, where that gives the method back; else the method and what else is known.
     */
    static String name(String legacy, String method) {
        if (method == null || method.isEmpty()) {
            return legacy;
        }
        String name = legacy;
        if (name.startsWith(method + "()")) {
            name = method + name.substring(method.length() + 2);
        }
        if (method(name).equals(method)) {
            return name;
        }
        if (name.startsWith(method) && method(method + "()" + name.substring(method.length())).equals(method)) {
            return method + "()" + name.substring(method.length());
        }
        return method + (method(method).equals(method) ? "" : "()") + "[" + legacy + "]";
    }

    /** The method in a name; the reader of reports has the same rule. */
    static String method(String name) {
        int cut = name.indexOf('[', 1);
        if (cut > 0) {
            name = name.substring(0, cut);
        }
        for (String pair : new String[] {"()", "{}"}) {
            if (name.endsWith(pair.substring(1))) {
                int open = name.lastIndexOf(pair.charAt(0));
                if (open > 0) {
                    return name.substring(0, open);
                }
            }
        }
        return name;
    }
}
