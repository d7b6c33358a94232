package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"h5perf/pkg/engine"
	"h5perf/pkg/figures"
	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/workload"
)

// warmRatio is the smallest share of a file in the page cache at which reads of the file are marked as warm.
const warmRatio = 0.01

// nodeResidency is what the first process of a node found in the page cache before an iteration read the files.
type nodeResidency struct {
	seen   node.Residency
	memory bool  // the files are in a file system that keeps its files in memory
	names  bool  // objects are files of their own, whose names may be in memory if their data are not
	err    error // why the residency is not known
}

// preparePageCache drops files from the page cache of all nodes, if the conditions ask for that. It then measures how
// much of the data that the processes of a node will read is in its page cache. For files that all processes open, the
// first process of each node drops and measures; for a file of one process, the process that reads it.
func (c *caseRun) preparePageCache(m *measurement) *failure {
	var err error
	c.enterPhase(result.PhaseCold)
	role := c.roles[workload.Read]
	for _, f := range c.filesOpenedBy(role, workload.Read) {
		if err == nil && (c.leader || !f.shared) {
			err = c.dropAndMeasure(role, f, m)
		}
	}
	if c.conditions().Cold {
		if f := c.agreeOnError(result.PhaseCold, err); f != nil {
			return f
		}
	}
	return nil
}

// dropAndMeasure drops a file from the page cache, if the conditions ask for that, and then adds the residency of the
// file to the measurement. It returns an error only if the file could not be dropped: if only the measurement fails, m
// records why.
func (c *caseRun) dropAndMeasure(s *ioRole, f dataFile, m *measurement) error {
	files, err := s.env.FileSizes(f.path, s.session.FileNames(f.path))
	ownFiles := s.program.Files[f.family].ObjectFiles && result.APIOf(c.plan.API).ObjectFiles
	if c.conditions().Cold {
		for i := 0; err == nil && i < len(files); i++ {
			drop := node.DropPages
			if strings.HasSuffix(files[i].Name, workload.ObjectsSuffix) {
				drop = node.DropTreePages
			}
			err = drop(pathInSameDirectory(f.path, files[i].Name))
		}
		if err != nil {
			return err
		}
	}
	switch {
	case !c.examinesPageCache():
		return nil
	case err == nil && ownFiles:
		err = c.addObjectResidency(s, f, &m.cache)
	case err == nil:
		err = c.addFileResidency(f, files, &m.cache)
	}
	if err != nil {
		m.cache.err = err
	}
	return nil
}

// examinesPageCache reports whether this process examines the page cache. If all processes open the same files, the
// first process of each node examines it. With one file per process, each process examines it for its own files.
func (c *caseRun) examinesPageCache() bool { return c.leader || c.plan.Parameters.FilesPerProcess }

// addFileResidency adds to r how much of a data file is in the page cache; files lists the files on disk that make up
// the data file. It counts at most as many bytes as the processes wrote before a time limit (bytesWithinLimit), since
// they read only those: the rest of the file may be a hole.
func (c *caseRun) addFileResidency(f dataFile, files []engine.FileSize, r *nodeResidency) error {
	parts := c.rangesReadByNode(files)
	var all []node.ExaminedFile
	for _, part := range files {
		path := pathInSameDirectory(f.path, part.Name)
		memory, err := node.IsInMemory(path)
		if err != nil {
			return err
		}
		r.memory = r.memory || memory
		all = append(all, node.ExaminedFile{Path: path, Parts: parts})
	}
	seen, err := c.newPageCacheProbe().Measure(all...)
	if err != nil {
		return err
	}
	read := c.bytesWithinLimit()
	seen.Bytes, seen.Total = min(seen.Bytes, read), min(seen.Total, read)
	r.seen.Add(seen)
	return nil
}

// addObjectResidency adds to r how much of the objects of a file is in the page cache, if they are files of their own.
// These are the datasets that the process looks up or opens to read.
func (c *caseRun) addObjectResidency(s *ioRole, f dataFile, r *nodeResidency) error {
	memory, err := node.IsInMemory(f.path)
	if err != nil {
		return err
	}
	r.memory, r.names = r.memory || memory, true
	used := make([]bool, len(s.program.Objects))
	for step := range s.program.Parts[workload.Read].Steps() {
		switch step.Class {
		case workload.Open, workload.Stat, workload.List:
			used[step.Object] = used[step.Object] || c.fileOfBatch(s, &step.Batch).path == f.path
		}
	}
	for i, o := range s.program.Objects {
		if !used[i] || o.Kind != workload.DatasetObject {
			continue
		}
		seen, err := c.newPageCacheProbe().MeasureMany(o.Count, func(member uint64) string {
			_, name, _ := strings.Cut(s.program.PathOf(i, member), ":")
			return f.path + workload.ObjectsSuffix + name
		})
		if err != nil {
			return err
		}
		r.seen.Add(seen)
	}
	if r.seen.Method == "" {
		return errors.New("the objects are files of their own, without data")
	}
	return nil
}

// newPageCacheProbe returns an examiner of the page cache of this node. It samples the pages of a large file at random;
// each file of each iteration has its own random numbers.
func (c *caseRun) newPageCacheProbe() node.PageCacheProbe {
	file := uint64(c.count)<<32 | uint64(c.file)
	draw := rand.New(rand.NewPCG(option.ValueOrZero(c.conditions().Seed)+uint64(c.work.Rank()), file))
	return node.PageCacheProbe{Now: c.Now, Random: draw, Confidence: stats.Level}
}

// pathInSameDirectory returns the path of a file in the directory of a data file.
func pathInSameDirectory(path, name string) string { return filepath.Join(filepath.Dir(path), name) }

// caseResidency tells, for all nodes, how much of the data to read is in the page cache. Its fields are valid after the
// reduction.
type caseResidency struct {
	ratio   *mpi.ReducedValue // share of the data to read that is in the page cache of the node
	upper   *mpi.ReducedValue // upper bound: ratio plus its uncertainty
	unknown *mpi.ReducedValue // flag: the ratio is not known
	memory  *mpi.ReducedValue // flag: the file system keeps its files in memory
	names   *mpi.ReducedValue // flag: names of files may be in memory if their data are not
}

// addResidency adds the residency that this process found to a reduction. A process that has not examined the page
// cache adds zeros.
func (c *caseRun) addResidency(all *mpi.Reduction, m *measurement) caseResidency {
	ratio, upper := 0.0, 0.0
	if c.examinesPageCache() {
		ratio = m.cache.seen.Ratio()
		upper = ratio + m.cache.seen.Uncertainty()
	}
	return caseResidency{
		ratio: all.Add(ratio), upper: all.Add(upper), unknown: all.AddFlag(c.examinesPageCache() && m.cache.err != nil),
		memory: all.AddFlag(c.examinesPageCache() && m.cache.memory),
		names:  all.AddFlag(c.examinesPageCache() && m.cache.names),
	}
}

// cacheResult returns what all nodes found in the page cache before a read, and reports whether that read is warm. A
// read through O_DIRECT bypasses the page cache, but is warm if the file system keeps its files in memory. For an
// estimate from a sample of the pages, the upper end of its confidence interval decides whether the read is warm: it is
// worse to miss a warm read than to mark a cold one. If nothing is in the page cache, this upper end is far below
// warmRatio. If objects are files of their own, none of which has data in the page cache, it is unknown whether the
// read is warm: steps that look them up may find their names in memory.
func (c *caseRun) cacheResult(m *measurement, all caseResidency) (*result.Cache, bool) {
	memory := all.memory.Max > 0
	warm := memory || all.upper.Max >= warmRatio && !usesDirect(c.plan)
	if all.unknown.Max == 0 && all.names.Max > 0 && !warm {
		return &result.Cache{
			Method: result.CacheNone, Reason: "the objects are files of their own, whose names may be in memory",
		}, false
	}
	if all.unknown.Max > 0 {
		reason := ""
		if m.cache.err != nil {
			reason = m.cache.err.Error()
		}
		return &result.Cache{
			Method: result.CacheNone, Reason: mpi.Broadcast(c.work, reason, all.unknown.MaxRank),
		}, memory
	}
	looked := c.nodes
	if c.plan.Parameters.FilesPerProcess {
		looked = c.work.Size()
	}
	seen := &result.Cache{
		Method: result.CacheMethod(m.cache.seen.Method), MaxResident: all.ratio.Max,
		MeanResident: all.ratio.Sum / float64(looked),
	}
	if all.upper.Max > all.ratio.Max { // at least one node has an estimate
		seen.Uncertainty = mpi.Broadcast(c.work, m.cache.seen.Uncertainty(), all.ratio.MaxRank)
	}
	return seen, warm
}

// rejectWarmSample returns a failure if a sample is warm, or if it is unknown whether it is, and the preset is strict,
// which does not allow such samples.
func (c *caseRun) rejectWarmSample(s result.Sample, all caseResidency) *failure {
	unknown := s.Cache.Method == result.CacheNone && !usesDirect(c.plan)
	if c.conditions().Preset != option.PresetStrict || !unknown && !s.HasMark(result.MarkWarm) {
		return nil
	}
	rank, reason := all.ratio.MaxRank, fmt.Errorf("read from memory, which --preset strict refuses: %s of the file "+
		"was in the page cache; add --cold, or measure POSIX with --direct", figures.ResidencyText(*s.Cache))
	switch {
	case unknown:
		rank = all.unknown.MaxRank
		reason = fmt.Errorf("perhaps read from memory, which --preset strict refuses: how much of the file was in the "+
			"page cache is unknown: %s; use another preset", s.Cache.Reason)
	case all.memory.Max > 0:
		rank = all.memory.MaxRank
		reason = fmt.Errorf("read from memory, which --preset strict refuses: %s is in a file system that keeps its "+
			"files in memory; use a directory on storage", c.path)
	}
	if c.work.Rank() != rank {
		reason = nil
	}
	return c.agreeOnError(result.PhasePageCache, reason)
}
