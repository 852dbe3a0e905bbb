package spec

// traitKeys are the keys that categories, codes, branches and overlays share.
func traitKeys(reaction Type) []Key {
	return []Key{
		{Name: "kind", Type: word(words.kinds), Doc: "A fault is a cause, a failure an observation."},
		{Name: "severity", Type: word(words.severities), Doc: "How bad it is."},
		{Name: "retryable", Type: boolean, Default: "false", Doc: "Whether the same call may succeed unchanged."},
		{Name: "recoverability", Type: word(words.recoverabilities),
			Default: "retryable or permanent, as retryable says", Doc: "What can be done about it."},
		{Name: "reaction", Type: reaction, Default: "abort",
			Doc: "What the executor does: a name, or a reaction in place."},
		{Name: "http", Type: integer, Doc: "HTTP status to answer with."},
		{Name: "grpc", Type: word(words.grpc), Doc: "gRPC status to answer with."},
	}
}

func (l *Language) codeTables() {
	l.field.Keys = []Key{
		{Name: "name", Type: text, Doc: "The Go name, where the one that follows from the wire name is bad."},
		{Name: "doc", Type: text, Doc: "What the field says."},
		{Name: "type", Type: word(words.types), Doc: "Its type. Either this or enum must be given."},
		{Name: "enum", Type: list(text), Doc: "The words that it may hold, in place of a type."},
		{Name: "required", Type: boolean, Default: "false", Doc: "Whether every error of the category has it."},
		{Name: "from", Type: many(text),
			Doc: "Where classification takes it from; the first of a list that is there. Some names are also roles " +
				"that the runtime reads."},
		{Name: "default", Type: literal, Doc: "Its value when evidence lacks it."},
		{Name: "sensitive", Type: boolean, Default: "false", Doc: "Never shown: not in messages, logs or JSON."},
		{Name: "scrub", Type: boolean, Default: "false",
			Doc: "Whether secrets in its text are masked where it is shown."},
		{Name: "max_length", Type: integer, Default: "no bound", Doc: "How many bytes of it are shown."},
		{Name: "keep", Type: word(words.keeps), Default: "head", Doc: "Which end of a text too long is kept."},
		{Name: "message_only", Type: boolean, Default: "false",
			Doc: "In the message, but never in the context on the wire."},
		{Name: "fields", Type: declare(RefField, mapping(l.field)), Doc: "The fields of an object."},
		reserved("purpose"),
	}
	l.field.OneOf = []string{"type", "enum"}
	l.category.Keys = append([]Key{
		{Name: "type", Type: text, Doc: "The Go type of its errors, where the one that follows from the name is bad."},
		{Name: "doc", Type: text, Doc: "What went wrong when an error is of this category."},
	}, traitKeys(l.reactionRef())...)
	l.category.Keys = append(l.category.Keys,
		Key{Name: "fields", Type: declare(RefField, mapping(l.field)),
			Doc: "Its context, beyond the fields of every category."},
		Key{Name: "codes", Type: declare(RefCode, mapping(l.code)), Required: true, Doc: "Its codes."},
		reserved("purpose"),
	)
	l.code.Keys = append([]Key{
		{Name: "number", Type: integer, Doc: "A published number, unique and never used again."},
		{Name: "name", Type: text, Doc: "The Go name, where the one that follows from the code is bad."},
		{Name: "value", Type: text, Default: "the key", Doc: "The code on the wire."},
		{Name: "aliases", Type: list(text), Doc: "Former values; they still decode to this code."},
		{Name: "doc", Type: text, Doc: "What happened."},
		{Name: "resolution", Type: text, Doc: "What a person can do about it."},
		{Name: "message", Type: text, Required: true,
			Doc: "The error's text. {field} is replaced; […] falls away when a field in it is absent."},
		{Name: "feedback", Type: text, Default: "message and resolution", Doc: "What feed_back tells the provider."},
		{Name: "since", Type: text, Doc: "The version that brought the code."},
		{Name: "deprecated", Type: text, Doc: "Why it is no longer made. It still decodes."},
		{Name: "replaced_by", Type: ref(RefCode), Doc: "The code that took its place."},
		{Name: "groups", Type: list(ref(RefGroup)), Doc: "Its groups."},
		{Name: "args", Type: list(ref(RefField)), Default: "the required fields that nothing sets",
			Doc: "The parameters of its factory, in order."},
		{Name: "set", Type: keyed(RefField, literal), Doc: "Fields that the code fixes."},
	}, traitKeys(l.reactionRef())...)
	l.code.Keys = append(l.code.Keys,
		Key{Name: "prevent", Type: mapping(l.prevention),
			Doc: "What is done before a call that is likely to fail with this code."},
		Key{Name: "when", Type: list(mapping(l.when)),
			Doc: "Branches on the context; the first that holds changes the traits."},
		Key{Name: "detect", Type: list(mapping(l.rule)), Doc: "Rules that make evidence this code."},
		Key{Name: "examples", Type: list(mapping(l.example)), Doc: "Evidence that must become this code."},
		Key{Name: "not_examples", Type: list(mapping(l.notExample)), Doc: "Evidence that must not."},
		reserved("purpose"),
	)
	l.preventionTable()
	l.when.Keys = append([]Key{
		{Name: "if", Type: keyed(RefField, matcher(Type{Form: FormScalar}, l.matcher)), Required: true,
			Doc: "Tests of fields; all must hold."},
	}, traitKeys(l.reactionRef())...)
}
