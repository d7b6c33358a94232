package doctor

import (
	"testing"

	"h5perf/pkg/launcher"
	"h5perf/pkg/node"
	"h5perf/pkg/test/resulttest"
)

const schemaName = "examination-1"

func TestTheSchemaIsThatOfTheTypes(t *testing.T) {
	s := resulttest.Reflect(t, "h5perf/pkg/doctor", Examination{})
	s.ID = "urn:h5perf:examination:1"
	s.Title = "What h5perf doctor --json prints, version 1"
	version, _ := s.Properties.Get("examination_version")
	version.Const = Version
	verdicts := []any{OK, Warning, Problem}
	overall, _ := s.Properties.Get("verdict")
	one, _ := s.Definitions["Check"].Properties.Get("verdict")
	kinds, _ := s.Definitions["Target"].Properties.Get("kind")
	overall.Enum, one.Enum, kinds.Enum = verdicts, verdicts,
		[]any{StorageMemory, StorageNetwork, StorageOverlay, StorageLocal}
	resulttest.Current(t, schemaName, s)
}

func TestExaminationsFollowTheirSchema(t *testing.T) {
	var trial DirectoryTest
	for _, dir := range []string{t.TempDir(), "/no/such", "/dev/shm"} {
		e := Examination{
			Version: Version, Machine: node.Machine(), Launch: NewLaunch(launcher.LaunchEvidence{Getenv: words(hydra)}),
		}
		e.Target = trial.Examine(dir, func(string) SharedFileView { return SharedFileView{} })
		for _, c := range e.Target.Checks(1) {
			e.AddCheck(c)
		}
		resulttest.Follows(t, schemaName, e)
	}
}
