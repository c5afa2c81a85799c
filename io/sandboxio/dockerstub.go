package sandboxio

import (
	"context"
	"errors"
)

func openDocker(ctx context.Context, o Options) (Preparer, error) {
	return nil, errors.New("docker: no engine")
}
