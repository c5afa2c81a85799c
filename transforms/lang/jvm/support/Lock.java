package taskmill;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prints the lock of an environment: the Java version, then the SHA-256 of each artifact in
 * Maven's local repository. With a second argument, compares instead: what that lock names must
 * be here and equal.
 */
public final class Lock {
    public static void main(String[] args) throws Exception {
        Path env = Paths.get(args[0]);
        TreeMap<String, String> sums = new TreeMap<>();
        for (String below : new String[] {"m2", "gradle/caches/modules-2/files-2.1"}) {
            Path dir = env.resolve(below);
            if (!Files.isDirectory(dir)) {
                continue;
            }
            try (Stream<Path> all = Files.walk(dir)) {
                for (Path p : all.filter(Lock::artifact).collect(Collectors.toList())) {
                    sums.put(env.relativize(p).toString(), sum(p));
                }
            }
        }
        if (args.length == 1) {
            StringBuilder b = new StringBuilder("java " + Runtime.version() + "\n");
            sums.forEach((name, sum) -> b.append(sum).append("  ").append(name).append('\n'));
            System.out.print(b);
            return;
        }
        TreeSet<String> differ = new TreeSet<>();
        for (String line : Files.readAllLines(Paths.get(args[1]), StandardCharsets.UTF_8)) {
            String[] parts = line.split("  ", 2);
            if (parts.length == 2 && !parts[0].equals(sums.get(parts[1]))) {
                differ.add(parts[1]);
            }
        }
        if (!differ.isEmpty()) {
            List<String> first = differ.stream().limit(10).collect(Collectors.toList());
            System.err.println(differ.size() + " artifacts are not as locked: " + String.join(", ", first));
            System.exit(1);
        }
    }

    private static boolean artifact(Path p) {
        String n = p.getFileName().toString();
        return Files.isRegularFile(p) && !n.startsWith("_") && !n.startsWith("maven-metadata") && !n.startsWith("resolver-status")
            && !n.endsWith(".lastUpdated") && !n.endsWith(".sha1") && !n.endsWith(".md5") && !n.endsWith(".sha256") && !n.endsWith(".sha512")
            && !n.endsWith(".lock") && !n.endsWith(".part") && !n.endsWith(".tmp");
    }

    private static String sum(Path p) throws Exception {
        MessageDigest d = MessageDigest.getInstance("SHA-256");
        byte[] buffer = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(p)) {
            for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                d.update(buffer, 0, n);
            }
        }
        StringBuilder b = new StringBuilder();
        for (byte x : d.digest()) {
            b.append(String.format("%02x", x));
        }
        return b.toString();
    }
}
