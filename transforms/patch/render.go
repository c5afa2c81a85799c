package patch

import (
	"fmt"
	"strings"
)

// String is p as git writes it and `git apply` takes it.
func (p Patch) String() string {
	var b strings.Builder
	for _, f := range p.Files {
		f.render(&b)
	}
	return b.String()
}

func (f File) render(b *strings.Builder) {
	// A deletion whose mode is not known can only be said in the plain form.
	bare := f.Change == Deleted && f.OldMode == 0 && len(f.Hunks) > 0 && f.OldHash == ""
	if !bare {
		f.renderHeader(b)
	}
	switch {
	case f.Binary:
		f.renderBinary(b)
		return
	case len(f.Hunks) == 0:
		return
	}
	fmt.Fprintf(b, "--- %s\n+++ %s\n", sideName("a/", f.Old, f.Change == Added), sideName("b/", f.New, f.Change == Deleted))
	for _, h := range f.Hunks {
		h.render(b)
	}
}

func (f File) renderHeader(b *strings.Builder) {
	old, new := f.Old, f.New
	switch f.Change {
	case Added:
		old = new
	case Deleted:
		new = old
	}
	fmt.Fprintf(b, "diff --git %s %s\n", quote("a/"+old), quote("b/"+new))
	hashes := f.OldHash != "" && f.NewHash != ""
	short := hashes && f.OldMode == f.NewMode && f.OldMode != 0 // the index line says the mode
	switch {
	case f.Change == Added:
		fmt.Fprintf(b, "new file mode %06o\n", f.NewMode)
	case f.Change == Deleted:
		fmt.Fprintf(b, "deleted file mode %06o\n", orFile(f.OldMode))
	case !short:
		if f.OldMode != 0 {
			fmt.Fprintf(b, "old mode %06o\n", f.OldMode)
		}
		if f.NewMode != 0 {
			fmt.Fprintf(b, "new mode %06o\n", f.NewMode)
		}
	}
	verb := map[string]string{Renamed: "rename", Copied: "copy"}[f.Change]
	if verb != "" {
		if len(f.Hunks) == 0 && !f.Binary {
			b.WriteString("similarity index 100%\n")
		}
		fmt.Fprintf(b, "%s from %s\n%s to %s\n", verb, quote(old), verb, quote(new))
	}
	if hashes {
		fmt.Fprintf(b, "index %s..%s", f.OldHash, f.NewHash)
		if short {
			fmt.Fprintf(b, " %06o", f.OldMode)
		}
		b.WriteByte('\n')
	}
}

func orFile(mode uint32) uint32 {
	if mode == 0 {
		return 0o100644
	}
	return mode
}

// sideName ends a name that holds a space in a tab, as git does, so that readers of plain
// patches do not cut it.
func sideName(prefix, name string, null bool) string {
	if null {
		return "/dev/null"
	}
	q := quote(prefix + name)
	if strings.Contains(q, " ") && !strings.HasPrefix(q, `"`) {
		q += "\t"
	}
	return q
}

func (f File) renderBinary(b *strings.Builder) {
	if f.BinaryNew == nil && f.DeltaNew == nil {
		fmt.Fprintf(b, "Binary files %s and %s differ\n",
			strings.TrimSuffix(sideName("a/", f.Old, f.Change == Added), "\t"),
			strings.TrimSuffix(sideName("b/", f.New, f.Change == Deleted), "\t"))
		return
	}
	b.WriteString("GIT binary patch\n")
	renderContent(b, f.BinaryNew, f.DeltaNew)
	if f.BinaryOld != nil || f.DeltaOld != nil {
		renderContent(b, f.BinaryOld, f.DeltaOld)
	}
}

func renderContent(b *strings.Builder, literal, delta []byte) {
	if delta != nil {
		encode(b, "delta", delta)
		return
	}
	encode(b, "literal", literal)
}

func (h Hunk) render(b *strings.Builder) {
	fmt.Fprintf(b, "@@ -%s +%s @@", rangeText(h.OldStart, h.OldLines), rangeText(h.NewStart, h.NewLines))
	if h.Section != "" {
		b.WriteString(" " + h.Section)
	}
	b.WriteByte('\n')
	for _, l := range h.Lines {
		b.WriteByte(l.Op)
		b.WriteString(l.Text)
		if !strings.HasSuffix(l.Text, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

func rangeText(start, lines int) string {
	if lines == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}
