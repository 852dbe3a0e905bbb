package x;
public enum Errors {
    UNKNOWN_SERVER_ERROR(-1, "The server experienced an unexpected error.",
            UnknownServerException::new),
    NONE(0, null, message -> null),
    OFFSET_OUT_OF_RANGE(1, "Not within the \"range\" of {offsets}.", OffsetOutOfRangeException::new),
    INVALID_REQUEST(42, "This most likely occurs because " +
                "of a request.",
        new ApiExceptionBuilder() {
            @Override
            public ApiException build(String message) { return new InvalidRequestException(message); }
        });
    private static final Logger log = null;
    Errors(int code, String message) { MAX(1, "no"); }
}
