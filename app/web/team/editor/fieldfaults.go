package editor

import (
	"net/http"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/web/page"
)

// listAgain shows the table with the submitted values and their errors.
func (h *Handlers) listAgain(
	r *page.Request, err error, l *fieldList, rows []sentRow, faults map[string]map[string]string, at []string,
) error {
	p := page.Page{Title: r.Say("edit.list.title", "title", l.Title)}
	status := http.StatusUnprocessableEntity
	var kind fault.Kind
	if err != nil {
		kind = fault.KindOf(err)
	}
	switch {
	case err == nil:
	case kind == fault.KindPreconditionFailed:
		by, _, failed := h.lastChange(r, l.ID)
		if failed != nil {
			return failed
		}
		status, p.Fault, l.Overtaken = http.StatusConflict, r.Say("edit.list.overtaken", "name", by), true
	case kind == fault.KindInvalid:
		p.Fault = assignFaults(r.FailureOf(err), faults, at)
	default:
		return err
	}
	l.Rows = nil
	for i := range rows {
		x := fieldRow{
			Key:    rows[i].key,
			ID:     rows[i].field.ID,
			N:      i + 1 + (l.Part-1)*rowsPerPart,
			values: rows[i].values,
			Errors: map[string]string{},
		}
		if rows[i].remove {
			x.values.Set("remove", "yes")
		}
		for name, why := range faults[x.Key] {
			if why == "number" {
				why = r.Say("edit.list.number")
			}
			x.Errors[name] = why
		}
		l.choices(r, &x)
		l.Rows = append(l.Rows, x)
	}
	if p.Fault == "" {
		p.Fault = r.Say("edit.list.faults", "n", len(faults))
	}
	return fieldlistTemplate.Render(r, status, page.With(p, l))
}

// assignFaults assigns messages to the rows they are about, and returns the rest.
func assignFaults(f page.Failure, faults map[string]map[string]string, at []string) (rest string) {
	for name, messages := range f.Faults {
		parts := strings.SplitN(name, ".", 3)
		n := -1
		if len(parts) == 3 && parts[0] == "fields" {
			if i, err := strconv.Atoi(parts[1]); err == nil && i < len(at) {
				n = i
			}
		}
		if n < 0 || at[n] == "" {
			rest = strings.Join(messages, " ")
			continue
		}
		column := strings.SplitN(parts[2], ".", 2)[0]
		if c, ok := columnOf[column]; ok {
			column = c
		}
		if faults[at[n]] == nil {
			faults[at[n]] = map[string]string{}
		}
		faults[at[n]][column] = strings.Join(messages, " ")
	}
	return rest
}
