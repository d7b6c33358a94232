package notation

import "reflect"

// Verbs are the verbs of steps.
var Verbs = verbs

// SettingNames returns the names of the settings of HDF5.
func SettingNames() (names []string) {
	for _, s := range knownSettings {
		names = append(names, s.name)
	}
	return names
}

// SettingWords returns the words of a setting that is no number.
func SettingWords(name string) []string {
	for _, s := range knownSettings {
		if words, is := reflect.TypeAssert[interface{ Values() []string }](reflect.Zero(s.typ)); is && s.name == name {
			return words.Values()
		}
	}
	return nil
}
