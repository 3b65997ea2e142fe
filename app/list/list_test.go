package list_test

import (
	"cmp"
	"errors"
	"strings"
	"testing"

	"paraph/app/fault"
	"paraph/app/list"
)

type sort string

type item struct{ id, name string }

var orders = list.Orders[sort, item]{
	"id":   func(a, b item) int { return cmp.Compare(a.id, b.id) },
	"name": func(a, b item) int { return cmp.Compare(a.name, b.name) },
}

func TestPageSortsAndCuts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		q    list.Query[sort]
		want string
	}{
		{list.Query[sort]{}, "1 2 3"},
		{list.Query[sort]{Descending: true}, "3 2 1"},
		{list.Query[sort]{Sort: "name"}, "2 1 3"},
		{list.Query[sort]{Sort: "name", Descending: true}, "3 1 2"},
		{list.Query[sort]{Offset: 1, Limit: 1}, "2"},
		{list.Query[sort]{Offset: 1}, "2 3"},
		{list.Query[sort]{Offset: -1, Limit: 2}, "1 2"},
		{list.Query[sort]{Offset: 9, Limit: 2}, ""},
	} {
		got, err := orders.Page([]item{{"3", "b"}, {"1", "b"}, {"2", "a"}}, tt.q, "id", func(x item) string { return x.id })
		var ids []string
		for _, x := range got.Items {
			ids = append(ids, x.id)
		}
		if err != nil || strings.Join(ids, " ") != tt.want || got.Total != 3 {
			t.Errorf("%+v returned %v of %d, %v; want %s", tt.q, ids, got.Total, err, tt.want)
		}
	}
}

func TestPageRefusesAnUnknownOrder(t *testing.T) {
	t.Parallel()
	_, err := orders.Page(nil, list.Query[sort]{Sort: "secret"}, "id", func(x item) string { return x.id })
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Kind != fault.KindInvalid {
		t.Errorf("an unknown order returned %v", err)
	}
}
