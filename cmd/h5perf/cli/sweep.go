package cli

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// parseSweptOption checks NAME or NAME=V1,V2, and adds it to a list. Each name may be given only once.
func parseSweptOption(text string, field any) error {
	all := field.(*[]string)
	name, values, assigned := strings.Cut(text, "=")
	if name == "" || assigned && slices.Contains(strings.Split(values, ","), "") {
		return fmt.Errorf("%q is not a name and its values, such as cells=1M,2M", text)
	}
	for _, before := range *all {
		if given, _, _ := strings.Cut(before, "="); given == name {
			return fmt.Errorf("%s is given twice, as %s and as %s: give it once", name, before, text)
		}
	}
	*all = append(*all, text)
	return nil
}

// parseSweep returns the values to measure of the options --sweep, or nil without any. words is the command line of a
// tool after the name of the command, which was parsed before.
func parseSweep(swept []string, kind result.Kind, words []string, lookup func(string) (string, bool)) (
	*plan.Sweep, error,
) {
	if len(swept) == 0 {
		return nil, nil
	}
	tool, err := newVariedTool(kind, words)
	if err != nil {
		return nil, err
	}
	s := &plan.Sweep{Options: func(values []result.KeyValue) (plan.Options, error) {
		with := slices.Clone(words)
		for _, kv := range values {
			one, err := tool.newVariant(kv.Key, kv.Value)
			if err != nil {
				return plan.Options{}, err
			}
			with = append(with, one.words...)
		}
		return parseToolOptions(kind, with, lookup)
	}}
	for _, text := range swept {
		name, values, assigned := strings.Cut(text, "=")
		one := plan.SweptRange{Name: name}
		long := name
		if o := tool.findOption(name); o != nil {
			long = o.Name
		}
		if tool.given[long] {
			return nil, fmt.Errorf("--sweep %s: %s is given, too; leave one of them out", text, name)
		}
		if assigned {
			one.Values = strings.Split(values, ",")
		}
		for i, value := range one.Values {
			if slices.Contains(one.Values[:i], value) {
				return nil, fmt.Errorf("--sweep %s: %s is given twice", text, value)
			}
			if _, err := tool.newVariant(name, value); err != nil {
				return nil, fmt.Errorf("--sweep: %w", err)
			}
		}
		s.Ranges = append(s.Ranges, one)
	}
	return s, nil
}

// parseToolOptions returns the options of a command line of a tool, or of plan, which was parsed before with other
// values. words has no name of a command.
func parseToolOptions(kind result.Kind, words []string, lookup func(string) (string, bool)) (plan.Options, error) {
	var v optionValues
	tool, err := parseTool(kind, words, &plannedTool{}, &v, helpPrinter{})
	if err != nil {
		return plan.Options{}, err
	}
	return tool.toPlanOptions(lookup)
}
