// Package config reads the configuration of a host from a YAML file.
//
//	type Settings struct {
//		Provider string                  `yaml:"provider"`
//		APIKey   taxonomy.Secret[string] `yaml:"api_key"` // api_key: ${ANTHROPIC_API_KEY}
//		Timeout  time.Duration           `yaml:"timeout"` // timeout: 90s
//	}
//
//	settings := Settings{Timeout: time.Minute} // a key that the file lacks keeps its value
//	warnings, err := config.Load("aidf.yml", &settings)
//
// In texts, ${NAME} is replaced by the environment variable NAME, and $$ by a dollar sign. Other
// dollar signs stay; $NAME without braces gives a warning. The value of a variable is neither
// expanded again nor read as YAML. Keys are not expanded. [Verbatim] turns expansion off. Anchors,
// aliases and merge keys are refused.
//
// Load reports all problems of a file. Each wraps a *taxonomy.Evidence with source "config", op
// "load_config", the attribute path, and one of these types:
//
//	missing         the file does not exist
//	parse           the file is not YAML; the text has the line
//	unset_variable  attributes env_var, field
//	invalid         attributes field ("a.b[2]"), value, expected
//
// A file that cannot be read has an errno and no type. Unknown keys, and secrets written in the
// file, are warnings. Errors and warnings contain no secrets.
//
// The error of several problems has a line for each, such as "aidf.yml:3: retries is "99",
// expected a number from 0 to 10", and is classified as its first problem. [Problems] returns them
// one by one:
//
//	for _, problem := range config.Problems(err) {
//		report(errs.Classify(problem))
//	}
package config
