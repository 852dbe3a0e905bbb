package workspace

import (
	"path"
	"strings"
)

// secretNames are names of files that hold secrets, in lower case.
var secretNames = []string{
	".env", "*.env", ".env.*", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
	"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "credentials", "credentials.*", ".netrc", "_netrc", ".npmrc",
	".pypirc",
	".git-credentials", ".htpasswd", ".pgpass", ".dockercfg", "secrets.*", "secret.*", "service-account*.json",
	"*.tfstate", "*.tfvars", "kubeconfig", "token", ".vault-token",
}

// secretDirs are directories that hold secrets.
var secretDirs = []string{".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure"}

// harmless are endings of files that only show what a file with secrets looks like, or are public.
var harmless = []string{".example", ".sample", ".template", ".dist", ".pub", ".md", ".go", ".ts", ".js", ".py", ".rs",
	".java"}

// SecretPath reports whether a file with such a name usually holds a secret: .env, *.pem, id_rsa,
// credentials and the like. It is what [Options.Secret] is unless something else is given.
func SecretPath(p string) bool {
	dir, name := path.Split(strings.ToLower(p))
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		for _, d := range secretDirs {
			if part == d {
				return true
			}
		}
	}
	for _, ending := range harmless {
		if strings.HasSuffix(name, ending) {
			return false
		}
	}
	for _, pattern := range secretNames {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}
