package taskmill;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes events, one line of JSON each, straight to the file: nothing is lost when the process dies. */
public final class Out implements AutoCloseable {
    private final OutputStream out;

    public Out(String path, boolean append) throws IOException {
        out = new FileOutputStream(path, append);
    }

    /** Takes pairs of name and value; a null value is left out, numbers and booleans are bare, arrays are lists. */
    public synchronized void event(String name, Object... pairs) {
        StringBuilder b = new StringBuilder("{\"event\":");
        string(b, name);
        for (int i = 0; i + 1 < pairs.length; i += 2) {
            Object v = pairs[i + 1];
            if (v == null) {
                continue;
            }
            b.append(',');
            string(b, (String) pairs[i]);
            b.append(':');
            value(b, v);
        }
        b.append("}\n");
        try {
            out.write(b.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException("write report", e);
        }
    }

    private static void value(StringBuilder b, Object v) {
        if (v instanceof Number || v instanceof Boolean) {
            b.append(v);
        } else if (v instanceof Iterable) {
            b.append('[');
            String between = "";
            for (Object e : (Iterable<?>) v) {
                b.append(between);
                value(b, e);
                between = ",";
            }
            b.append(']');
        } else {
            string(b, v.toString());
        }
    }

    private static void string(StringBuilder b, String s) {
        b.append('"');
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c == '"' || c == '\\') {
                b.append('\\').append(c);
            } else if (c < 0x20 || c > 0x7e) {
                b.append(String.format("\\u%04x", (int) c));
            } else {
                b.append(c);
            }
        }
        b.append('"');
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
