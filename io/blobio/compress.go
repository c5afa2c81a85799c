package blobio

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/taskmill/taskmill/model"
)

// One encoder and decoder serve all goroutines: EncodeAll and DecodeAll are safe for that.
var (
	encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(2), zstd.WithEncoderCRC(false))
	decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(4<<30))
)

// Compress is the zstd form of b at the one level that the stores use.
func Compress(b []byte) []byte { return encoder.EncodeAll(b, nil) }

// Decompress undoes Compress. Content over 4 GiB is refused.
func Decompress(b []byte) ([]byte, error) {
	out, err := decoder.DecodeAll(b, nil)
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return out, nil
}

// unpack is the content of a stored blob, checked against its hash.
func unpack(h model.Hash, packed []byte) ([]byte, error) {
	b, err := Decompress(packed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if model.Sum(b) != h {
		return nil, ErrCorrupt
	}
	return b, nil
}
