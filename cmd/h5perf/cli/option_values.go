package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"h5perf/pkg/metrics"
	"h5perf/pkg/node"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// valueError is the error about an option whose value is missing or invalid.
type valueError struct {
	option string
	err    error
}

func (e *valueError) Error() string { return e.option + ": " + e.err.Error() }

func (e *valueError) Unwrap() error { return e.err }

var errNoValue = errors.New("needs a value")

// optionValues parses the values of options, and records the options as the user wrote them.
type optionValues struct {
	given            []result.GivenParameter
	jsonWithoutValue bool // --json needs no value; without one it means "-"
}

// kongOptions returns settings for kong: for each value of the tag type, a mapper that parses the options of this type.
func (v *optionValues) kongOptions() []kong.Option {
	options := []kong.Option{
		apiVariables(), kong.NamedMapper("flag", kong.MapperFunc(v.decodeFlag)),
		kong.NamedMapper("switch", kong.MapperFunc(v.decodeSwitch)),
		kong.NamedMapper("document", kong.MapperFunc(v.decodeDocument)),
	}
	for name, k := range map[string]valueKind{
		"size":    {v, "SIZE", parseSize},
		"sizes":   {v, "SIZE[,SIZE]", parseSizes},
		"count":   {v, "N", parseCount},
		"order":   {v, "", parseOrder},
		"list":    {v, "LIST", parseList},
		"word":    {v, "", parseNonEmptyText},
		"hint":    {v, "KEY=VALUE", parseHint},
		"setting": {v, "NAME=VALUE", parseSetting},
		"swept":   {v, "NAME[=V,V]", parseSweptOption},

		"hdf5-setting": {v, "NAME=VALUE", parseHDF5Setting},

		"debug": {v, "LIST", parseDebug},

		"integer":    {v, "N", parseInteger},
		"seed":       {v, "N", parseSeed},
		"ratio":      {v, "RATIO", parseRatio},
		"duration":   {v, "DURATION", parseDuration},
		"time-limit": {v, "DURATION", parseTimeLimit},
		"seconds":    {v, "DURATION", parseSeconds},
		"deadline":   {v, "TIME|DURATION", parseDeadline},
		"gateway":    {v, "URL", parseGateway},
		"stripe":     {v, "COUNT[,SIZE]", parseStripe},
		"textfile":   {v, "FILE", parseTextfile},
	} {
		options = append(options, kong.NamedMapper(name, k))
	}
	return options
}

// valueKind is a type of option values, such as sizes. Its function parse parses text into the struct field of the
// option, to which field points.
type valueKind struct {
	values      *optionValues
	placeholder string
	parse       func(text string, field any) error
}

// Decode implements kong.Mapper.
func (k valueKind) Decode(ctx *kong.DecodeContext, field reflect.Value) error {
	text, err := k.values.scanValue(ctx)
	if err == nil {
		if field.Kind() != reflect.Pointer {
			field = field.Addr()
		}
		err = k.parse(text, field.Interface())
	}
	if err != nil {
		return &valueError{optionName(ctx.Value), err}
	}
	return nil
}

// PlaceHolder returns the placeholder for a value in the help, such as SIZE: the placeholder of the option, or else the
// list of allowed values, or else the placeholder of the kind of value.
func (k valueKind) PlaceHolder(flag *kong.Flag) string {
	words := ""
	if e, ok := reflect.TypeAssert[result.Enumerated](flag.Target); ok {
		words = strings.Join(e.Values(), "|")
	}
	return cmp.Or(flag.PlaceHolder, words, k.placeholder)
}

// decodeFlag parses an option without a value.
func (v *optionValues) decodeFlag(ctx *kong.DecodeContext, field reflect.Value) error {
	if next := ctx.Scan.Peek(); next.Type == kong.FlagValueToken {
		return &valueError{optionName(ctx.Value), fmt.Errorf("takes no value, not %q", next.String())}
	}
	field.SetBool(true)
	v.given = append(v.given, result.GivenParameter{Name: ctx.Value.Name})
	return nil
}

// decodeSwitch parses the value of a switch: on or off.
func (v *optionValues) decodeSwitch(ctx *kong.DecodeContext, field reflect.Value) error {
	var text string
	if err := (valueKind{v, "", parseNonEmptyText}).Decode(ctx, reflect.ValueOf(&text)); err != nil {
		return err
	}
	used, err := usage.ValidOrDefault("--"+ctx.Value.Name, text, "on", "off")
	field.Set(reflect.ValueOf(new(used == "on")))
	return err
}

// decodeDocument parses the path to which --json writes the document.
func (v *optionValues) decodeDocument(ctx *kong.DecodeContext, field reflect.Value) error {
	if next := ctx.Scan.Peek(); v.jsonWithoutValue &&
		(next.IsEOL() || next.Type == kong.UntypedToken && len(next.String()) > 1 && next.String()[0] == '-') {
		field.SetString("-")
		return nil
	}
	return valueKind{v, "", parseNonEmptyText}.Decode(ctx, field)
}

// scanValue returns the value of an option as text: the rest of the same argument, or the next argument unless that is
// an option. A negative number counts as a value, so that the user gets an error about the value, not about an unknown
// option.
func (v *optionValues) scanValue(ctx *kong.DecodeContext) (string, error) {
	next := ctx.Scan.Peek()
	text := next.String()
	switch {
	case next.IsEOL():
		return "", errNoValue
	case next.Type == kong.UntypedToken && len(text) > 1 && text[0] == '-' && (text[1] < '0' || text[1] > '9'):
		return "", fmt.Errorf("needs a value, but the next word is %q", text)
	}
	ctx.Scan.Pop()
	v.given = append(v.given, result.GivenParameter{Name: ctx.Value.Name, Value: text})
	return text, nil
}

// optionName returns the name of an option with its dashes, such as --json.
func optionName(v *kong.Value) string {
	if v.Flag.Short == 0 {
		return "--" + v.Name
	}
	return fmt.Sprintf("-%c, --%s", v.Flag.Short, v.Name)
}

// parseStripe parses COUNT[,SIZE]: over how many storage targets files are striped, and the size of a stripe.
func parseStripe(text string, field any) error {
	_, err := node.ParseStriping(text)
	*field.(*string) = text
	return err
}

func parseSize(text string, field any) error {
	n, err := units.ParseSize(text)
	*field.(*uint64) = n
	return err
}

// parseSizes parses a list of sizes. If the option is given twice, the second list replaces the first one.
func parseSizes(text string, field any) error {
	var sizes []uint64
	for item := range strings.SplitSeq(text, ",") {
		n, err := units.ParseSize(item)
		if err != nil {
			return err
		}
		sizes = append(sizes, n)
	}
	*field.(*[]uint64) = sizes
	return nil
}

func parseCount(text string, field any) error {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return fmt.Errorf("%q is not a count: digits only, at most 2147483647", text)
	}
	*field.(*int) = int(n)
	return nil
}

func parseInteger(text string, field any) error {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return fmt.Errorf("%q is not an integer of at most 10 digits", text)
	}
	*field.(*int) = int(n)
	return nil
}

func parseSeed(text string, field any) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not a number: digits only, at most %d", text, uint64(math.MaxUint64))
	}
	*field.(*uint64) = n
	return nil
}

// parseRatio parses a positive number or a percentage.
func parseRatio(text string, field any) error {
	digits, percent := strings.CutSuffix(text, "%")
	ratio, err := strconv.ParseFloat(digits, 64)
	if percent {
		ratio /= 100
	}
	known := ratio >= result.MinMeasure && ratio <= result.MaxMeasure // range of numbers in documents
	if err != nil || !known || strings.ContainsAny(text, "xXpP_") {
		return fmt.Errorf("%q is not a ratio: a positive number such as 0.02, or a percentage such as 2%%", text)
	}
	*field.(*float64) = ratio
	return nil
}

// parseDuration parses a duration with its unit. 0 needs no unit.
func parseDuration(text string, field any) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a duration: digits and a unit, such as 500ms, 30s, 10m or 2h", text)
	}
	*field.(*time.Duration) = d
	return nil
}

// parseTimeLimit parses the time that a run may take: at least a second, or 0 for no limit.
func parseTimeLimit(text string, field any) error {
	limit := field.(*time.Duration)
	if err := parseDuration(text, limit); err != nil {
		return err
	}
	if *limit > 0 && *limit < time.Second {
		return fmt.Errorf("%q is too short for any run: give 1s or more", text)
	}
	return nil
}

// parseSeconds parses a duration with its unit, and stores it as a number of seconds.
func parseSeconds(text string, field any) error {
	var d time.Duration
	if err := parseDuration(text, &d); err != nil {
		return err
	}
	*field.(*float64) = d.Seconds()
	return nil
}

// parseDeadline parses a time with its zone, or a duration.
func parseDeadline(text string, field any) error {
	d := field.(*run.Deadline)
	var errTime error
	if d.At, errTime = time.Parse(time.RFC3339, text); errTime == nil && !d.At.IsZero() {
		return nil
	}
	if parseDuration(text, &d.In) != nil || d.In == 0 {
		return fmt.Errorf("%q is neither a time with its zone, such as 2026-11-24T06:00:00Z, nor a duration, such as "+
			"50m", text)
	}
	return nil
}

// parseOrder parses a list of dimensions or an order of cases. If the option is given twice with the same kind of
// value, the second value replaces the first value.
func parseOrder(text string, field any) error {
	if cases := option.CaseOrder(text); slices.Contains(result.ValuesOf[option.CaseOrder](), cases) {
		field.(*option.SerialOrder).Cases = cases
		return nil
	}
	var order []int
	for item := range strings.SplitSeq(text, ",") {
		var d int
		if parseCount(item, &d) != nil {
			return fmt.Errorf("%q is not a dimension: digits only", item)
		}
		order = append(order, d)
	}
	field.(*option.SerialOrder).Dimensions = order
	return nil
}

// parseList parses a list of words, separated by commas. If the option is given twice, both lists are joined.
func parseList(text string, field any) error {
	list := field.(*[]string)
	*list = append(*list, strings.Split(text, ",")...)
	return nil
}

// parseNonEmptyText parses a text that must not be empty. The type of the field is string, or any type that is based on
// string.
func parseNonEmptyText(text string, field any) error {
	if text == "" {
		return errNoValue
	}
	reflect.ValueOf(field).Elem().SetString(text)
	return nil
}

// parseGateway parses the URL of a Pushgateway, which must not contain secrets.
func parseGateway(text string, field any) error {
	*field.(*string) = text
	_, err := metrics.ParseURL(text)
	return err
}

func parseTextfile(text string, field any) error {
	*field.(*string) = text
	return metrics.CheckTextfile(text)
}

func parseHint(text string, field any) error {
	hints := field.(*[]units.KeyValue)
	hint, err := option.ParseHint(text)
	*hints = append(*hints, hint)
	return err
}

// parseHDF5Setting parses NAME=VALUE, an HDF5 setting.
func parseHDF5Setting(text string, field any) error {
	list := field.(*[]string)
	*list = append(*list, text)
	_, err := option.HDF5{}.AddSetting(text)
	return err
}

// parseDebug parses the value of -D: a level of detail and flags, separated by commas. If the option is given twice,
// the flags of both are set, and the last level is used.
func parseDebug(text string, field any) error {
	d := field.(*debugOptions)
	for item := range strings.SplitSeq(text, ",") {
		switch strings.ToLower(item) {
		case "0", "1", "2", "3", "4":
			d.report.Level = int(item[0] - '0')
		case "r":
			d.report.Raw = true
		case "t":
			d.report.Times = true
		case "v":
			d.verify = true
		default:
			return fmt.Errorf("%q is neither a level, 0 to 4, nor a flag, r, t or v", item)
		}
	}
	return nil
}

// apiVariables returns the names of the APIs that each tool measures, as variables for kong, which inserts them into
// the help of options.
func apiVariables() kong.Vars {
	vars := kong.Vars{"iterations": "1"} // the default
	for name, apis := range map[string][]string{"parallel_apis": plan.APIs(), "serial_apis": plan.SerialAPIs()} {
		byDefault := "all"
		if len(apis) == 2 {
			byDefault = "both"
		}
		vars[name] = strings.Join(apis, ", ") + " (default: " + byDefault + ")"
	}
	return vars
}
