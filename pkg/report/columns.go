package report

// column is a column of a table. Each row of the table shows a value of type V; the function cell returns the text of
// this value in the column.
type column[V any] struct {
	heading string
	cell    func(V) string
}

// headingCells returns the headings of the columns.
func headingCells[V any](columns []column[V]) []string {
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.heading
	}
	return row
}

// rowCells returns the cells for the value v.
func rowCells[V any](columns []column[V], v V) []string {
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.cell(v)
	}
	return row
}

// convertColumns makes columns for values of type W from columns for values of type V. The function of returns the V
// that belongs to a W.
func convertColumns[W, V any](columns []column[V], of func(W) V) []column[W] {
	out := make([]column[W], len(columns))
	for i, c := range columns {
		out[i] = column[W]{c.heading, func(w W) string { return c.cell(of(w)) }}
	}
	return out
}
