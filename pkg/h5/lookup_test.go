//go:build cgo

package h5_test

import (
	"testing"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/h5"
	"h5perf/pkg/workload"
)

func TestLookups(t *testing.T) {
	path := serial(t, func(o *objects, file *hdf5.File) {
		in, groups := []int64{file.ID()}, make([]int64, 3)
		top := h5.FamilyMembers{Names: names(t, "g%02d", 8), Parents: in, PerParent: 3, Count: 3}
		n, err := h5.CreateGroups(top, nil, groups)
		done(t, "create groups", n, err, 3)
		leaves := h5.FamilyMembers{Names: names(t, "%d", 1), Parents: groups, PerParent: 4, Count: 12}
		sets := make([]int64, 12)
		n, err = h5.CreateDatasets(leaves, o.shape(workload.Object{Type: workload.Byte}), sets)
		done(t, "create datasets", n, err, 12)
		_, err = h5.CloseObjects(workload.DatasetObject, sets, nil)
		o.must(err)
		link := workload.Object{Kind: workload.LinkObject, Link: workload.Link{Kind: workload.SoftLink, Path: "/none"}}
		links := h5.FamilyMembers{Names: names(t, "l%d", 0), Parents: in, PerParent: 2, Count: 2}
		n, err = h5.CreateLinks(links, link.Link)
		done(t, "create links", n, err, 2)

		group, set := workload.Object{Kind: workload.GroupObject}, workload.Object{Kind: workload.DatasetObject}
		for info := workload.BasicInfo; info <= workload.AllInfo; info++ {
			n, err = h5.StatObjects(top, &group, info)
			done(t, "stat groups "+info.String(), n, err, 3)
			n, err = h5.StatObjects(leaves, &set, info)
			done(t, "stat datasets "+info.String(), n, err, 12)
		}
		n, err = h5.StatObjects(links, &link, workload.BasicInfo)
		done(t, "stat links", n, err, 2)
		n, err = h5.StatObjects(leaves, &group, workload.BasicInfo)
		failed(t, n, err, 0, "H5Oget_info_by_name", "another kind")
		n, err = h5.StatObjects(links, &set, workload.BasicInfo)
		failed(t, n, err, 0, "H5Oget_info_by_name", "component not found")
		link.Link.Kind = workload.HardLink
		n, err = h5.StatObjects(links, &link, workload.BasicInfo)
		failed(t, n, err, 0, "H5Lget_info", "another kind")

		one := []h5.ListedLevel{{Names: leaves.Names, PerGroup: 4}}
		n, err = h5.ListMembers(groups, one, false, nil)
		done(t, "list groups", n, err, 3)
		n, err = h5.ListMembers(in, []h5.ListedLevel{{Names: links.Names, PerGroup: 2}}, false, nil)
		done(t, "list links", n, err, 1)
		two := []h5.ListedLevel{{Names: top.Names, PerGroup: 3}, one[0]}
		n, err = h5.ListMembers(in, two, true, nil)
		done(t, "visit objects", n, err, 1)
		n, err = h5.ListMembers(in, two[:1], true, nil)
		done(t, "visit groups", n, err, 1)

		later := h5.FamilyMembers{Names: leaves.Names, Parents: groups[1:], PerParent: 4, First: 5, Count: 2}
		to := names(t, "new%03d", 0)
		n, err = h5.RenameObjects(later, to)
		done(t, "rename", n, err, 2)
		later.Names = to
		n, err = h5.StatObjects(later, &set, workload.BasicInfo)
		done(t, "stat renamed", n, err, 2)
		n, err = h5.ListMembers(groups, one, false, nil)
		failed(t, n, err, 1, "H5Literate", "did not find each object")
		n, err = h5.ListMembers(in, two, true, nil)
		failed(t, n, err, 0, "H5Ovisit", "did not find each object")
		later.Count = 3
		n, err = h5.RenameObjects(later, names(t, "other%d", 0))
		failed(t, n, err, 2, "H5Lmove", "doesn't exist")
		_, err = h5.CloseObjects(workload.GroupObject, groups, nil)
		o.must(err)
	})
	text := dumped(t, path, "-n")
	contains(t, text, "group /g09 dataset /g09/1 dataset /g09/4 dataset /g09/other1 dataset /g09/other2")
}

// A listing counts names that are exactly those of members.
func TestNamesThatAreNotOfMembers(t *testing.T) {
	serial(t, func(o *objects, file *hdf5.File) {
		in := []int64{file.ID()}
		for _, c := range []struct {
			format, other string
			listed        bool
		}{
			{"a%03dx", "a002x", true},
			{"g%03dx", "g02x", false},
			{"h%03dx", "h0002x", false},
			{"b%d", "b2", true},
			{"i%d", "i02", false},
			{"c%d", "c3", false},
			{"d%d", "d", false},
			{"e%dx", "e2y", false},
			{"f%d", "f18446744073709551618", false},
		} {
			m := h5.FamilyMembers{Names: names(t, c.format, 0), Parents: in, PerParent: 2, Count: 2}
			handles := make([]int64, 2)
			n, err := h5.CreateGroups(m, nil, handles)
			done(t, "create "+c.format, n, err, 2)
			_, err = h5.CloseObjects(workload.GroupObject, handles, nil)
			o.must(err)
			m.Names, m.PerParent, m.Count = names(t, c.other, 0), 1, 1
			n, err = h5.CreateGroups(m, nil, handles)
			done(t, "create "+c.other, n, err, 1)
			_, err = h5.CloseObjects(workload.GroupObject, handles[:1], nil)
			o.must(err)
			n, err = h5.ListMembers(in, []h5.ListedLevel{{Names: names(t, c.format, 0), PerGroup: 3}}, false, nil)
			if c.listed {
				done(t, c.other, n, err, 1)
			} else {
				failed(t, n, err, 0, "H5Literate", "did not find each object")
			}
		}
	})
}
