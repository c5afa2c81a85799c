package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// jvm records what JUnit 4, JUnit 5, TestNG and surefire report for the project of
// transforms/lang/jvm/testdata/project.txtar: its test of the real runners does it, which also
// judges them. It needs a JDK, Maven and a registry.
func jvm(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-run", "^TestRunners$", "./transforms/lang/jvm", "-record")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("record runners of Java: %w", err)
	}
	return nil
}
