package taskmill;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Builds a state: Maven or Gradle compiles production code and tests of all modules, going on after
 * errors; then, in modules whose tests did not compile together, those that do are compiled.
 * Ends with 0 when all production code compiles. Arguments: testbed, then the tool's command.
 */
public final class Build {
    public static void main(String[] args) throws Exception {
        Path testbed = Paths.get(args[0]).toRealPath();
        int exit = tool(testbed, Arrays.asList(args).subList(1, args.length));
        exit = settle(testbed, exit);
        // A build that a limit ends leaves no word of its end, and nothing of it is run.
        Files.write(testbed.resolve(Module.ENDED), new byte[0]);
        System.exit(exit);
    }

    static int tool(Path testbed, List<String> args) throws Exception {
        Path folder = testbed.resolve(Module.FOLDER);
        Files.deleteIfExists(testbed.resolve(Module.ENDED));
        Module.delete(folder);
        Files.createDirectories(folder);
        List<String> command = new ArrayList<>(args);
        Files.write(testbed.resolve(".taskmill/command"), args);
        command.add("-Dtaskmill.modules=" + folder);
        return new ProcessBuilder(command).directory(testbed.toFile()).inheritIO().start().waitFor();
    }

    static int settle(Path testbed, int exit) throws Exception {
        List<Module> all = Module.all(testbed);
        boolean compiled = !all.isEmpty();
        boolean tests = false;
        for (Module m : all) {
            if (!m.get("failed").isEmpty()) {
                System.err.println(m.name() + ": " + m.get("failed") + " failed");
                compiled = false;
            }
            if (m.mainFailed() || m.testFailed()) {
                compiled &= !m.mainFailed();
                tests |= m.testFailed();
                try {
                    Partial.run(testbed, m);
                } catch (Exception e) {
                    e.printStackTrace();
                    compiled = false;
                }
            }
        }
        // Maven is told to end well; Gradle ends badly where tests do not compile.
        return compiled && (exit == 0 || tests) ? 0 : Math.max(exit, 1);
    }
}
