# Reads an issue that is not there.
echo 'HTTP 404: Not Found (https://api.github.com/repos/acme/shop/issues/99)' >&2
exit 1
