package record_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"paraph/app/signing/record"
	"paraph/kv"
)

// filled sets every string whose field is named like a reference to a stored file, in a value and
// whatever that holds, and returns what it set.
func filled(v reflect.Value, path string, set map[string]string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.Struct && v.CanSet() {
			v.Set(reflect.New(v.Type().Elem()))
			filled(v.Elem(), path, set)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct && v.CanSet() {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			filled(v.Index(0), path, set)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			if f.Kind() == reflect.String && f.CanSet() && slices.Contains([]string{"Base", "Blob", "Upload", "Picture"}, name) {
				hash := fmt.Sprintf("%064x", len(set)+1)
				f.SetString(hash)
				set[hash] = path + "." + name
				continue
			}
			filled(f, path+"."+name, set)
		}
	}
}

// TestEveryStoredFileIsIndexed fills a document with references to files. A file that is not in
// the index is removed after a day, and is missing from backups.
func TestEveryStoredFileIsIndexed(t *testing.T) {
	t.Parallel()
	var d record.Document
	set := map[string]string{}
	filled(reflect.ValueOf(&d).Elem(), "Document", set)
	if len(set) < 8 {
		t.Errorf("only %d references were found", len(set))
	}
	indexed := map[string]bool{}
	for _, key := range record.FileKeys(d) {
		indexed[kv.Key(key).Parts()[0]] = true
	}
	for hash, path := range set {
		if !indexed[hash] {
			t.Errorf("%s is not in the index of files", path)
		}
	}
}
