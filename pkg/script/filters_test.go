package script_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestFiltersInTheirOrder(t *testing.T) {
	for filters, want := range map[string]string{
		`["fletcher32", "shuffle", ("gzip", 1)]`: "[fletcher32 0 shuffle 0 deflate 1]",
		`[(32015, 3, 4294967295), (6,)]`:         "[32015 [3 4294967295] 6 []]",
		`["nbit", "lz4", ("zstd", 22)]`:          "[nbit 0 lz4 0 zstd 22]",
		`["scaleoffset"]`:                        "[scaleoffset 0]",
		`["zstd"]`:                               "the filter zstd has 0 parameters here: write (\"zstd\", 3)",
		`[("zstd", 0)]`:                          "zstd has levels from 1 to 22, not 0",
		`[("zstd", 23)]`:                         "zstd has levels from 1 to 22, not 23",
		`[("lz4", 1)]`:                           "the filter lz4 has 1 parameters here: write \"lz4\"",
		`["scaleoffset", "scaleoffset"]`:         "the filter scaleoffset is there twice",
		`["zip"]`:                                `the filter (others have numbers) "zip": must be one of`,
		`["gzip"]`:                               "the filter gzip has 0 parameters here: write (\"gzip\", 4)",
		`[(0,)]`:                                 "0 is no number of a filter",
		`[(6, -1)]`:                              "the parameter -1 of a filter",
		`"gzip"`:                                 "is no list of filters, such as",
		`["shuffle", "fletcher32", "shuffle"]`:   "the filter shuffle is there twice: HDF5 sets up only the first",
		`[("szip", 2), ("szip", 4)]`:             "the filter szip is there twice",
		`["fletcher32", "fletcher32"]`:           "[fletcher32 0 fletcher32 0]",
		`["shuffle"] * 33`:                       "33 filters: HDF5 has at most 32",
		`["shuffle"], shuffle = True`:            "filters are given twice",
	} {
		p, err := madeBy(`f.create_dataset("d", "i4", shape = (8,), chunks = (4,), filters = ` + filters + ")")
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(p.Objects[0].Filters)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", filters, got, want)
		}
	}
}

func TestScaleoffsetKeepsOnlyIntegersAsTheyAre(t *testing.T) {
	_, err := madeBy(`f.create_dataset("d", "f8", shape = (8,), chunks = (4,), filters = ["scaleoffset"])`)
	if err == nil || !strings.Contains(err.Error(), "scaleoffset keeps integers as they are, but not other values") {
		t.Error(err)
	}
}
