package parquetio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A placed row is one with its key; its JSON form is made when two keys are equal.
type placed[T Row] struct {
	key  string
	row  *T
	json []byte
}

// arrange brings rows into the table's order and their values into one form: runners differ in
// what a coder keeps of a time zone, of parts of a millisecond, and of an empty list.
func arrange[T Row](rows []T) ([]placed[T], error) {
	order := make([]placed[T], len(rows))
	for i := range rows {
		settle(reflect.ValueOf(&rows[i]).Elem())
		order[i] = placed[T]{key: rows[i].RowKey(), row: &rows[i]}
	}
	slices.SortFunc(order, func(a, b placed[T]) int { return strings.Compare(a.key, b.key) })
	for start := 0; start < len(order); {
		end := start + 1
		for end < len(order) && order[end].key == order[start].key {
			end++
		}
		if end-start > 1 {
			if err := breakTies(order[start:end]); err != nil {
				return nil, err
			}
		}
		start = end
	}
	return order, nil
}

func breakTies[T Row](equal []placed[T]) error {
	for i := range equal {
		var err error
		if equal[i].json, err = json.Marshal(equal[i].row); err != nil {
			return fmt.Errorf("order row %q: %w", equal[i].key, err)
		}
	}
	slices.SortFunc(equal, func(a, b placed[T]) int { return bytes.Compare(a.json, b.json) })
	for i := range equal {
		equal[i].json = nil
	}
	return nil
}

var timeType = reflect.TypeFor[time.Time]()

// settle brings v into the form in which it is stored: times in UTC and whole milliseconds, an
// empty list nil (null where it is optional).
func settle(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		// What it points to may belong to another element too: a copy is changed.
		copied := reflect.New(v.Type().Elem())
		copied.Elem().Set(v.Elem())
		settle(copied.Elem())
		v.Set(copied)
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
			return
		}
		switch v.Type().Elem().Kind() {
		case reflect.Struct, reflect.Slice, reflect.Pointer:
			copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(copied, v)
			for i := range v.Len() {
				settle(copied.Index(i))
			}
			v.Set(copied)
		}
	case reflect.Struct:
		if v.Type() == timeType {
			t := v.Interface().(time.Time)
			v.Set(reflect.ValueOf(t.UTC().Truncate(time.Millisecond)))
			return
		}
		for _, field := range v.Fields() {
			if field.CanSet() {
				settle(field)
			}
		}
	}
}

// weight is about how many bytes v takes: what decides the row groups.
func weight(v reflect.Value) int64 {
	switch v.Kind() {
	case reflect.String:
		return int64(v.Len()) + 4
	case reflect.Pointer:
		if v.IsNil() {
			return 0
		}
		return weight(v.Elem())
	case reflect.Slice:
		var sum int64
		for i := range v.Len() {
			sum += weight(v.Index(i))
		}
		return sum
	case reflect.Struct:
		if v.Type() == timeType {
			return 8
		}
		var sum int64
		for _, field := range v.Fields() {
			sum += weight(field)
		}
		return sum
	}
	return 8
}
