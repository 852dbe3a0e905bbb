package detect

import "reflect"

// sqlPlaces are the attributes that say what in a database a statement failed at, and the fields of
// errors that know it.
var sqlPlaces = [...]struct {
	attribute string
	fields    [2]string // of pgconn.PgError and of lib/pq's Error
}{
	{"constraint", [2]string{"ConstraintName", "Constraint"}},
	{"table", [2]string{"TableName", "Table"}},
	{"column", [2]string{"ColumnName", "Column"}},
	{"schema", [2]string{"SchemaName", "Schema"}},
}

// sqlFields collects what an error with an SQLSTATE says of the place of the fault. Of other errors
// such fields may be anything.
func (g *gather) sqlFields(err error) {
	if _, ok := err.(interface{ SQLState() string }); !ok {
		return
	}
	v := reflect.ValueOf(err)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return
	}
	for _, p := range sqlPlaces {
		for _, field := range p.fields {
			if f := v.FieldByName(field); f.Kind() == reflect.String {
				g.attribute(p.attribute, f.String())
			}
		}
	}
}
