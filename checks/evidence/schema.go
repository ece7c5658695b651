package evidence

import (
	_ "embed" // the schema

	"doctor/checks/packed"
)

// schemas has the schema; `make docs` writes it.
//
//go:embed schemas.zip.bz2
var schemas []byte

// Schema is the JSON Schema of the tree, evidence/v1.
var Schema = packed.Text(packed.Files(schemas, "."), "evidence.schema.json")
