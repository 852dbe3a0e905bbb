// Package config reads the configuration of a host from a YAML file.
//
//	type Settings struct {
//		Provider string                  `yaml:"provider"`
//		APIKey   taxonomy.Secret[string] `yaml:"api_key"` // api_key: ${ANTHROPIC_API_KEY}
//		Timeout  time.Duration           `yaml:"timeout"` // timeout: 90s
//	}
//
//	settings := Settings{Timeout: time.Minute} // what the file does not say stays
//	warnings, err := config.Load("aidf.yml", &settings)
//
// In the texts of the file ${NAME} stands for an environment variable, and $$ for a dollar sign;
// any other dollar sign stands for itself. With [Verbatim] every dollar sign does. What a variable
// holds is taken as it is: it is neither expanded nor read as YAML. Keys are not expanded.
//
// Whatever is wrong is said at once. Each problem wraps a *taxonomy.Evidence of source "config", op
// "load_config", with the attribute path, and one of these types:
//
//	missing         the file does not exist
//	parse           the file is no YAML; the text says where
//	unset_variable  attributes env_var, field
//	invalid         attributes field ("a.b[2]"), value, expected
//
// A file that cannot be read has no type, but an errno. Keys that nobody asked for, and secrets
// that are written in clear, are warnings. No secret is in any error or warning.
//
// The error of several problems prints each on a line of its own, "aidf.yml:3: retries is "99",
// expected a number from 0 to 10". As a whole it is classified as its first problem; [Problems] has
// each of them to be classified by itself:
//
//	for _, problem := range config.Problems(err) {
//		report(errs.Classify(problem))
//	}
package config
