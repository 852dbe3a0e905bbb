package gen

// Buffer is the room that Error builds a message in before it becomes a string: enough for most.
type Buffer [128]byte
