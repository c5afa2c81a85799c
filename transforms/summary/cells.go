package summary

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// absent stands for a figure that the tables do not hold.
const absent = "absent"

// Grid lays rows out in columns: the first one to the left, the others to the right. The first
// row is the heading.
func Grid(w io.Writer, rows [][]string) {
	var width []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-len([]rune(cell)))
			if i == 0 {
				line.WriteString(cell + pad)
				continue
			}
			line.WriteString("  " + pad + cell)
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// String is the rate as 5/14 35.7% [16.3, 61.2].
func (r Rate) String() string {
	if r.Rate == nil {
		return fmt.Sprintf("%d/%d -", r.K, r.N)
	}
	return fmt.Sprintf("%d/%d %5.1f%% [%.1f, %.1f]", r.K, r.N, 100**r.Rate, 100**r.Low, 100**r.High)
}

func whole(v *float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", *v), ".0")
}

func third(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}

func percent(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100**v)
}

func figure(v *float64, format string) string {
	if v == nil {
		return absent
	}
	return fmt.Sprintf(format, *v)
}

func saved(v *float64) string {
	if v == nil {
		return absent
	}
	return percent(v)
}

func missing(bases int) string {
	if bases == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d not measured)", bases)
}

// duration is seconds as 1h2m3.4s.
func duration(seconds *float64) string {
	if seconds == nil {
		return absent
	}
	return time.Duration(*seconds * float64(time.Second)).Round(100 * time.Millisecond).String()
}

// bytes is a size with decimal units.
func bytes[N int64 | float64](n *N) string {
	if n == nil {
		return absent
	}
	v := float64(*n)
	for _, unit := range []string{"B", "kB", "MB", "GB"} {
		if v < 1000 {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + " " + unit
		}
		v /= 1000
	}
	return fmt.Sprintf("%.1f TB", v)
}
