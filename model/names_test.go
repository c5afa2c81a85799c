package model

import (
	"regexp"
	"strings"
	"testing"
)

// names-01, and names that are made to be one after the replacement of slashes.
var repos = []string{
	"owner/scout_apm_python", "owner/scout-apm-python", "Owner.Name/x.y", "owner-name/x-y", "a--b/c__d", "a/b--c__d",
	"a__b/c__d", "a/b__c__d", "a__b__c/d", "a_/b", "a/_b", "a_/_b", "a/__b", "a__/b", "Owner.Name/X.Y", "owner.name/x.y",
	"a/b", "a-b/c", "a/b-c", "a.b/c", "a/b.c", "ab/c", "a/bc", "a/b/c", "a/b__c", "a__b/c",
}

func TestNamesAreDistinct(t *testing.T) {
	imageName := regexp.MustCompile(`^[a-z0-9]+(?:[._-]+[a-z0-9]+)*/[a-z0-9]+(?:[._-]+[a-z0-9]+)*$`)
	ids, images := map[string]string{}, map[string]string{}
	for _, r := range repos {
		for id, number := range map[string]int64{InstanceID(r, 7, ""): 7, InstanceID(r, 0, "0123456789abcdef0123"): 0} {
			if other, dup := ids[id]; dup {
				t.Errorf("%s and %s have the id %s", r, other, id)
			}
			ids[id] = r
			if strings.ContainsAny(id, "/ ") || number == 0 && !strings.HasSuffix(id, "-0123456789ab") {
				t.Errorf("%s: id %s", r, id)
			}
		}
		image := ImageName(r)
		if other, dup := images[image]; dup {
			t.Errorf("%s and %s have the image %s", r, other, image)
		}
		images[image] = r
		if !imageName.MatchString(image) {
			t.Errorf("%s: no image has the name %s", r, image)
		}
	}
	if got := InstanceID("owner/scout_apm_python", 12, ""); got != "owner__scout_apm_python-12" {
		t.Errorf("a plain name is SWE-bench's: %s", got)
	}
}

func FuzzNamesAreDistinct(f *testing.F) {
	for i := range repos {
		f.Add(repos[i], repos[(i+1)%len(repos)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if a == b || strings.Count(a, "/") != 1 || strings.Count(b, "/") != 1 {
			return // a repository's name is owner/name
		}
		if RepoID(a) == RepoID(b) {
			t.Errorf("%q and %q have the id %s", a, b, RepoID(a))
		}
		if ImageName(a) == ImageName(b) {
			t.Errorf("%q and %q have the image %s", a, b, ImageName(a))
		}
	})
}

func TestTwins(t *testing.T) {
	variant := "." + FamilyTests
	for id, want := range map[string]string{
		TwinID("o__r-7"): "o__r-7", TwinID("o__r-7") + variant: "o__r-7" + variant,
		"o__r-7": "", "o__r-7" + variant: "", "o__historical-7": "", "o__r.historical-7": "",
	} {
		if got, ok := TwinOf(id); got != want || ok != (want != "") {
			t.Errorf("TwinOf(%q) = %q, %v: want %q", id, got, ok, want)
		}
	}
}
