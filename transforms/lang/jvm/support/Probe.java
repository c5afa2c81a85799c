package taskmill;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;

/** Shows, over a built state, that tests load production code from the tree: the class path holds its output and no release of its own. */
public final class Probe {
    public static void main(String[] args) throws Exception {
        Path testbed = Paths.get(args[0]).toRealPath();
        List<Module> all = Module.all(testbed);
        boolean good = false;
        for (Module m : all) {
            List<String> cp = m.list("test.classpath");
            if (cp.isEmpty()) {
                continue;
            }
            if (!Paths.get(m.get("main.output")).startsWith(testbed) || !cp.contains(m.get("main.output"))) {
                fail(m.name() + " is compiled to " + m.get("main.output"));
            }
            for (Module other : all) {
                String[] id = other.get("self").split(":");
                String inRepository = "/" + id[0].replace('.', '/') + "/" + id[1] + "/";
                for (String e : cp) {
                    if (e.endsWith(".jar") && !Paths.get(e).startsWith(testbed) && e.contains(inRepository)) {
                        fail(m.name() + " is tested with " + e);
                    }
                }
            }
            good = true;
        }
        if (!good) {
            fail("no module has a test class path");
        }
    }

    private static void fail(String why) {
        System.err.println(why);
        System.exit(1);
    }
}
