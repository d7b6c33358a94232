package report

// column is a column of a table whose rows are values of one type. cell returns the text of a row.
type column[V any] struct {
	heading string
	cell    func(V) string
}

// headingCells returns the first row of a table.
func headingCells[V any](columns []column[V]) []string {
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.heading
	}
	return row
}

// rowCells returns the row of a value.
func rowCells[V any](columns []column[V], v V) []string {
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.cell(v)
	}
	return row
}

// convertColumns makes columns of W from columns of V. of returns the V of a W.
func convertColumns[W, V any](columns []column[V], of func(W) V) []column[W] {
	out := make([]column[W], len(columns))
	for i, c := range columns {
		out[i] = column[W]{c.heading, func(w W) string { return c.cell(of(w)) }}
	}
	return out
}
