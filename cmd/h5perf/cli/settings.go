package cli

import (
	"fmt"
	"io"
	"strings"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/option"
	"h5perf/pkg/output"
	"h5perf/pkg/plain"
)

// settingsGrammar holds the options of the command settings.
type settingsGrammar struct {
	JSON bool `name:"json" help:"Print JSON instead of text."`
}

const settingsAbout = `List the settings of HDF5 that h5perf knows: what they do, their values, and their
defaults in the HDF5 library of this program. Set them with --with NAME=VALUE, or in the script of a workload with
settings(NAME = VALUE), where names have _ instead of -. A setting that the library does not have, or that has
no effect on the run, is refused.`

// settingsHandler executes the command settings.
type settingsHandler struct{}

func (settingsHandler) helpPage(c Command) (help.Page, error) {
	return help.PageOfGrammar(&settingsGrammar{}, commandOptions(c)...)
}

func (settingsHandler) execute(what Command, c commandCall) (int, error) {
	g := settingsGrammar{}
	asked, err := help.Parse(c.words[1:], c.outputWriter(), &g, commandOptions(what)...)
	if asked || err != nil {
		return 0, err
	}
	list := newSettingList(c.tools.hdf5Library())
	if g.JSON {
		return 0, plain.WriteJSON(c.outputWriter(), list)
	}
	_, err = io.WriteString(c.outputWriter(), list.listText(output.LookOf(c.outputWriter()).Width))
	return 0, err
}

// settingList is the list of all settings as settings --json prints it.
type settingList struct {
	HDF5     string         `json:"hdf5,omitempty"` // version of the library; absent: this program has none
	Settings []settingEntry `json:"settings"`
}

// settingEntry describes a setting.
type settingEntry struct {
	Name       string   `json:"name"`
	Meaning    string   `json:"meaning"`
	Words      []string `json:"words,omitempty"`       // valid values
	Sizes      string   `json:"sizes,omitempty"`       // valid values, if these are sizes
	Default    string   `json:"default,omitempty"`     // absent: not known, or there are several
	Option     string   `json:"option,omitempty"`      // an option for the setting alone
	Since      string   `json:"since,omitempty"`       // first versions of HDF5 that have it; absent: all
	Available  *bool    `json:"available,omitempty"`   // in this library; absent: not known
	UseInstead string   `json:"use_instead,omitempty"` // a library that has it
	Needs      []string `json:"needs,omitempty"`       // what a run must have so that the setting has an effect

	needsText string
}

func newSettingList(library option.HDF5Library) settingList {
	list := settingList{HDF5: library.Version}
	for _, row := range option.AllHDF5Settings() {
		e := settingEntry{
			Name: row.Name, Meaning: row.Meaning(), Words: row.ValidWords(), Since: row.Since(),
			Default: row.DefaultIn(library),
		}
		if e.Words == nil {
			e.Sizes = row.ValuesText()
		}
		if row.HasOption() {
			e.Option = "--" + row.Name
		}
		if library.Version != "" {
			use, lacks := library.MissingSettings[row.Name]
			e.Available, e.UseInstead = new(!lacks), use
		}
		var texts []string
		for _, need := range row.Needs() {
			e.Needs, texts = append(e.Needs, string(need)), append(texts, need.Text())
		}
		e.needsText = strings.Join(texts, " and ")
		list.Settings = append(list.Settings, e)
	}
	return list
}

func (l settingList) listText(width int) string {
	var s help.Section
	for _, e := range l.Settings {
		values := e.Sizes
		if e.Words != nil {
			values = strings.Join(e.Words, "|")
		}
		text := []string{e.Meaning, "Values: " + values + "."}
		add := func(format, value string) {
			if value != "" {
				text = append(text, fmt.Sprintf(format, value))
			}
		}
		add("Default: %s.", e.Default)
		add("Needs %s.", e.needsText)
		add("Option: %s.", e.Option)
		add("Since HDF5 %s.", e.Since)
		add("Not in this library: use %s.", e.UseInstead)
		s.Arguments = append(s.Arguments, help.Argument{Shown: e.Name, Text: strings.Join(text, " ")})
	}
	head := "Settings of HDF5 " + l.HDF5
	if l.HDF5 == "" {
		head = "Settings of HDF5 (this program has no HDF5, so it does not know the defaults of a library)"
	}
	return head + ":\n" + s.ArgumentsText(width)
}
