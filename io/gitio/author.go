package gitio

import (
	"regexp"
	"strings"
)

var (
	noreply = regexp.MustCompile(`^(?:\d+\+)?([\w.\[\]-]+)@users\.noreply\.github\.com$`)
	// Coding agents come before bots: most of them sign as one.
	agents = regexp.MustCompile(`(?i)^(?:copilot(?:-swe-agent)?|devin-ai-integration|claude|claude-code|codex|chatgpt-codex-connector|cursor ?agent|cursor|google-labs-jules|jules|openhands(?:-agent)?|sweep-ai|sweepai|aider|gemini-cli|gemini-code-assist|amazon-q-developer|factory-droid|swe-agent|opencode-agent|kiro-agent)(?:\[bot\])?$`)
	bots   = regexp.MustCompile(`(?i)\[bot\]|^(?:dependabot|renovate|greenkeeper|pyup|snyk|imgbot|allcontributors|pre-commit-ci|github-actions|mergify|bors|homu|deepsource|scala-steward|weblate|crowdin|transifex|release-please|semantic-release|codecov|restyled|sourcery-ai|meeseeks|lumberbot|googleapis-publisher|gitter-badger|the gitter badger|nix-bot|bump-?bot)\b|[-_ ](?:bot|robot|automation)$|^bot[-_ ]`)
)

// AuthorKind is person, maintenance_bot or agent, by name and mail address.
func AuthorKind(name, email string) string {
	login := Login(name, email)
	mailbox, host, _ := strings.Cut(strings.ToLower(email), "@")
	switch {
	case agents.MatchString(name), agents.MatchString(login),
		host == "anthropic.com" && mailbox == "noreply", host == "cursor.com" && mailbox == "cursoragent",
		host == "all-hands.dev" && mailbox == "openhands":
		return "agent"
	case bots.MatchString(name), bots.MatchString(login), host == "dependabot.com", host == "renovateapp.com",
		mailbox == "support" && host == "pyup.io", strings.HasSuffix(mailbox, "-bot"):
		return "maintenance_bot"
	}
	return "person"
}

// Login is the GitHub login that a noreply address carries, else the name.
func Login(name, email string) string {
	if m := noreply.FindStringSubmatch(email); m != nil {
		return m[1]
	}
	return name
}
