package sampleio

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// land merges a pull request in one of the styles of the hosts.
func (h *History) land(s step, args []string) error {
	target := h.set.branch
	if len(args) == 5 && args[3] == "into" {
		target, args = args[4], args[:3]
	}
	if len(args) != 3 {
		return errors.New("want N BRANCH STYLE [into TARGET]")
	}
	number, branch, style := args[0], args[1], args[2]
	head, err := h.find(branch)
	if err != nil {
		return err
	}
	ours, err := h.find(target)
	if err != nil {
		return err
	}
	h.refs["refs/pull/"+number+"/head"] = head
	if strings.HasPrefix(branch, "pr/") {
		defer delete(h.refs, "refs/heads/"+branch)
	}
	if style == "rebase" {
		return h.rebase(s, target, ours, head)
	}
	t, err := merged(ours, head, s.files)
	if err != nil {
		return err
	}
	c := &commit{tree: t, parents: []*commit{ours, head}, committer: cmp.Or(s.committer, h.set.merger)}
	c.author = cmp.Or(s.author, c.committer)
	if style == "squash" {
		c.parents = c.parents[:1]
		c.author = cmp.Or(s.author, head.author)
	}
	if c.message, err = h.subject(style, number, branch, target, s.text); err != nil {
		return err
	}
	h.refs["refs/heads/"+target] = h.store(c)
	return nil
}

// subject is the message that a host writes.
func (h *History) subject(style, number, branch, target, text string) (string, error) {
	title, body, _ := strings.Cut(strings.TrimSpace(text), "\n")
	body = strings.TrimSpace(body)
	owner, _, _ := strings.Cut(h.set.repo, "/")
	var m string
	switch style {
	case "plain":
		return text, nil
	case "merge":
		m = fmt.Sprintf("Merge pull request #%s from %s/%s\n\n%s", number, owner, branch, title)
	case "squash":
		m = fmt.Sprintf("%s (#%s)", title, number)
	case "gitea":
		m = fmt.Sprintf("Merge pull request '%s' (#%s) from %s into %s", title, number, branch, target)
	case "gitlab":
		m = fmt.Sprintf("Merge branch '%s' into '%s'\n\n%s", branch, target, title)
		if body != "" {
			m += "\n\n" + body
		}
		body = "See merge request " + h.set.repo + "!" + number
	default:
		return "", fmt.Errorf("unknown style %s", style)
	}
	if body != "" {
		m += "\n\n" + body
	}
	return m + "\n", nil
}

// rebase lays the branch's own commits on the target again, one by one.
func (h *History) rebase(s step, target string, ours, head *commit) error {
	have := ancestors(ours)
	var own []*commit
	for c := head; !have[c]; c = c.parents[0] {
		if len(c.parents) != 1 {
			return errors.New("only a branch without merges can be rebased")
		}
		own = append(own, c)
	}
	slices.Reverse(own)
	for k, c := range own {
		t, err := merge(c.parents[0].tree, ours.tree, c.tree, nil)
		if err != nil {
			return err
		}
		if k == len(own)-1 {
			if t, err = t.with(s.files); err != nil {
				return err
			}
		}
		ours = h.store(&commit{tree: t, parents: []*commit{ours}, author: c.author, authored: c.authored,
			committer: cmp.Or(s.committer, h.set.merger), message: c.message})
	}
	h.refs["refs/heads/"+target] = ours
	return nil
}
