# Prints the Go lines over 120 columns, with tabs 4 columns wide, and exits with 1 if there is any.
# Generated files and the lines of multi-line raw strings in tests are exempt.
FNR == 1 { generated = raw = package = 0 }
/^package / { package = 1 }
!package && /^\/\/ Code generated .* DO NOT EDIT\.$/ { generated = 1 }
{
	exempt = raw
	rest = $0
	if (!raw) {
		gsub(/"([^"\\]|\\.)*"|'.'/, "", rest)
	}
	quotes = gsub(/`/, "", rest)
	if (quotes % 2) raw = !raw
	exempt = generated || ((exempt || raw) && FILENAME ~ /_test\.go$/)
}
!exempt {
	line = $0
	tabs = gsub(/\t/, "", line)
	gsub(/[\200-\277]/, "", line) # in the C locale, the bytes of a character after the first
	width = length(line) + 4 * tabs
	if (width > 120) { print FILENAME ":" FNR ": " width " columns"; found = 1 }
}
END { exit found }
