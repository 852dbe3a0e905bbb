// Package sample chooses the errors that the generated tests make, and says what each must become.
//
// For a code it returns cases: contexts that between them show every field present, absent and
// empty, stand at and around every bound of a `when` rule, and hold texts that are too long or
// secret. What is expected of a case follows from the model alone, never from generated code.
package sample
