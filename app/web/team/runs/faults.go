package runs

import (
	"strings"

	"paraph/app/bulk"
	"paraph/app/fault"
	"paraph/app/web/page"
)

// explainer returns a function that describes the faults of a row in the reader's language.
func explainer(r *page.Request) func([]fault.Field) string {
	return func(found []fault.Field) string {
		said := make([]string, 0, len(found))
		for _, f := range found {
			said = append(said, r.Sentence(f, shortLabels(f)))
		}
		return strings.Join(said, " ")
	}
}

// shortLabels names the field of a row that came as JSON by the last part of its path.
func shortLabels(f fault.Field) map[string]string {
	if !strings.HasPrefix(f.Name, "people.") {
		return nil
	}
	label := strings.ReplaceAll(f.Name, "_", " ")
	return map[string]string{label: label[strings.LastIndexByte(label, '.')+1:]}
}

// faultyCell is a cell that must be corrected, or with an empty Name a problem of a whole row.
type faultyCell struct {
	Row           int
	Who           string // the beginning of the row, to recognise it by
	Heading, Name string // of the column, and of the input
	Value, Text   string
}

// faultyCells lists the faults of the first rows that have any, one entry per cell.
func faultyCells(r *page.Request, columns []bulk.Column, rows []bulk.InvalidRow) []faultyCell {
	var out []faultyCell
	for _, row := range rows {
		byColumn := map[int]int{} // column to the entry in out
		for _, f := range row.Faults {
			column := columnOf(columns, f.Name)
			text := r.Sentence(f, shortLabels(f))
			if i, known := byColumn[column]; known {
				out[i].Text += " " + text
				continue
			}
			byColumn[column] = len(out)
			out = append(out, newFaultyCell(columns, row, column, text))
		}
	}
	return out
}

func newFaultyCell(columns []bulk.Column, row bulk.InvalidRow, column int, text string) faultyCell {
	cell := faultyCell{Row: row.Number, Who: beginning(row.Cells), Text: text}
	if column < 0 {
		return cell
	}
	cell.Heading, cell.Name = columns[column].Heading, cellName(row.Number, column)
	if column < len(row.Cells) {
		cell.Value = row.Cells[column]
	}
	return cell
}

// columnOf returns the index of the column that a fault names, -1 if it concerns the whole row.
func columnOf(columns []bulk.Column, heading string) int {
	for i, c := range columns {
		if c.Heading == heading && c.Target != "" {
			return i
		}
	}
	return -1
}

// beginning returns the first two texts of a row.
func beginning(cells []string) string {
	var out []string
	for _, c := range cells {
		if c = strings.TrimSpace(c); c != "" && len(out) < 2 {
			out = append(out, c)
		}
	}
	return strings.Join(out, ", ")
}
