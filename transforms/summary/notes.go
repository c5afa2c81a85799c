package summary

import (
	"fmt"
	"slices"
)

// Notes of a report.
const (
	noteSets  = "the corpora have different eligible sets: their rates are not of the same changes"
	noteLower = "%s: a plan chose its bases, so the newest-base figure counts only the changes that the plan put there (a lower bound): build with --bases newest for the figure itself"
	noteDrawn = "%s: a sample, or some families, were built: rates are of the changes drawn; %s before the draw and left out"
	noteInfra = "%s: the tables have %d changes without a verdict for infrastructure: the next build takes them up, rates leave them out"
)

// note says what a reader has to know of the sections.
func (r *Report) note() {
	if !r.SameEligibleSet {
		r.Notes = append(r.Notes, noteSets)
	}
	sections := r.Corpora
	if r.Union != nil {
		sections = append(slices.Clone(sections), *r.Union)
	}
	for _, s := range sections {
		if s.Bases.NewestIsLowerBound {
			r.Notes = append(r.Notes, fmt.Sprintf(noteLower, s.Corpus))
		}
		if s.Funnel.NotDrawn > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf(noteDrawn, s.Corpus, ended(s.Funnel.BeforeDraw)))
		}
		pending := s.Funnel.Unread
		for _, p := range s.Funnel.Pending {
			pending += p.Count
		}
		if pending > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf(noteInfra, s.Corpus, pending))
		}
	}
}

// ended says how many eligible changes ended.
func ended(n int) string {
	if n == 1 {
		return "1 eligible change ended"
	}
	return fmt.Sprintf("%d eligible changes ended", n)
}
